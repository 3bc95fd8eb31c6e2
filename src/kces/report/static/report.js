document.getElementById("app").textContent = document.getElementById("kces-data").textContent;
