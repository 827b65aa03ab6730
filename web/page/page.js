/* The three views of the page; each starts its worker when it is first shown. */
import { startData } from "./data.js";
import { startLabel } from "./label.js";
import { startPlayground } from "./playground.js";
import { byId, sayError } from "./ui.js";

const START = {
  play: startPlayground,
  data: startData,
  label: startLabel,
};
const begun = new Set();

function show(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.dataset.view === name;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.dataset.view).hidden = !selected;
  }
  if (begun.has(name)) return;
  begun.add(name);
  Promise.resolve(START[name]()).then(
    () => {
      document.documentElement.dataset.ready = name;
    },
    (error) => {
      sayError(byId(`${name}-message`), error);
    },
  );
}

const tabs = [...document.querySelectorAll("[role=tab]")];
tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => {
    history.replaceState(null, "", `#${tab.dataset.view}`);
    show(tab.dataset.view);
  });
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const other = tabs[(i + step + tabs.length) % tabs.length];
    other.focus();
    other.click();
  });
});
show(START[location.hash.slice(1)] ? location.hash.slice(1) : "play");
