"use strict";
const choice = document.getElementById("measure");
if (choice) {
  const show = () => {
    for (const table of document.querySelectorAll(".ranking")) table.hidden = table.dataset.measure !== choice.value;
  };
  choice.addEventListener("change", show);
  show();
}
for (const cells of document.querySelectorAll(".pictures")) {
  const first = [...cells.querySelector("figure").querySelectorAll("img")].map((image) => image.src);
  for (const figure of cells.querySelectorAll("figure")) {
    const images = [...figure.querySelectorAll("img")];
    const own = images.map((image) => image.src);
    const put = (sources) => images.forEach((image, k) => (image.src = sources[k]));
    figure.addEventListener("mousedown", (event) => { event.preventDefault(); put(first); });
    for (const name of ["mouseup", "mouseleave"]) figure.addEventListener(name, () => put(own));
  }
}
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", () => {
    const code = button.closest("tr").querySelector("code");
    // A page opened as a file may not have the clipboard; then the command is marked to be copied by hand.
    const mark = () => getSelection().selectAllChildren(code);
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).catch(mark);
    else mark();
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 1200);
  });
}
document.documentElement.dataset.state = "shown";
