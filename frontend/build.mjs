// Bundles the page into report.js and report.css, copies page.html and lists the licenses of what is bundled.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const target = resolve(process.argv[2] ?? "../src/kces/report/static");

function bundledPackages(inputs) {
  const names = new Set();
  for (const path of Object.keys(inputs)) {
    const found = path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) names.add(found[1]);
  }
  return [...names].sort();
}

function licenseEntry(name) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
  if (!file) throw new Error(`${name} carries no license text`);
  const text = readFileSync(join(folder, file), "utf8").replace(/\r\n/g, "\n").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

mkdirSync(target, { recursive: true });
const result = await build({
  entryPoints: { report: "src/main.js" },
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  target: ["es2022"],
  logLevel: "warning",
});
copyFileSync("src/page.html", join(target, "page.html"));
const rule = "\n" + "-".repeat(80) + "\n\n";
const entries = bundledPackages(result.metafile.inputs).map(licenseEntry);
writeFileSync(join(target, "LICENSES.txt"), ["Libraries bundled into report.js and report.css\n", ...entries].join(rule));
