// How groups of nodes are told apart: by color and by shape.

const COLORS = ["#0072b2", "#d98200", "#009e73", "#b0569a", "#56a4d9", "#a6761d", "#666699", "#7a9a01", "#3d7f7f", "#777777"];
const SHAPES = [
  ["ellipse", "●"],
  ["rectangle", "■"],
  ["triangle", "▲"],
  ["diamond", "◆"],
  ["pentagon", "⬟"],
  ["hexagon", "⬢"],
  ["star", "★"],
];

/** Color, shape and sign of a group; nodes without a group are gray circles. */
export function groupLook(group) {
  if (group === null || group === undefined || group < 0) return { fill: "#808080", shape: "ellipse", sign: "●" };
  const [shape, sign] = SHAPES[group % SHAPES.length];
  return { fill: COLORS[group % COLORS.length], shape, sign };
}
