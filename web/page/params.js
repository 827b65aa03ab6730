/* The parameters of a method as form fields, from `cleave methods --json`. */
import { el } from "./ui.js";

const FIRST = 4; // parameters above the fold

function field(param, value, change) {
  const id = `param-${param.name}`,
    help = `${id}-help`;
  const given = { id, "aria-describedby": help, onchange: (event) => change(param, event.target) };
  const fallback = param.default_text ?? (param.default === null ? "" : String(param.default));
  let control;
  if (param.type === "flag") control = el("input", { ...given, type: "checkbox" });
  else if (param.type === "name")
    control = el("select", given, ...param.values.map((one) => el("option", { value: one }, one)));
  else
    control = el("input", {
      ...given,
      type: "text",
      placeholder: fallback,
      autocomplete: "off",
      spellcheck: "false",
    });
  if (param.type === "flag") control.checked = value ?? param.default;
  else control.value = value ?? (param.type === "name" ? param.default : "");
  const label = el("label", { for: id }, param.flag.replace(/^--/, ""));
  const note = el("p", { class: "help", id: help }, param.help);
  return param.type === "flag"
    ? el("div", { class: "field flag" }, control, label, note)
    : el("div", { class: "field" }, label, control, note);
}

/**
 * Fields of a method in `place`. values: {name: text or true}, changed in place; change() is
 * called afterwards.
 */
export function showParams(place, method, values, change) {
  const limits = (method.limits ?? []).map((name, i) => ({
    name,
    flag: `--${name.replaceAll("_", "-")}`,
    type: "integer",
    default: null,
    default_text: method.limit_defaults[i],
    help:
      name === "epochs"
        ? "Maximum number of epochs."
        : name === "rounds"
          ? "Boosting rounds."
          : name === "trees"
            ? "Number of trees."
            : "Maximum number of iterations.",
  }));
  const set = (param, { value, checked, type }) => {
    const given = type === "checkbox" ? checked : value.trim();
    if (
      given === "" ||
      given === param.default ||
      (param.type === "name" && given === param.default)
    )
      delete values[param.name];
    else values[param.name] = given;
    change();
  };
  const tuned = method.params.filter((one) => one.tune),
    first = [...tuned, ...limits].slice(0, FIRST);
  const rest = [...limits, ...method.params].filter((one) => !first.includes(one));
  const fields = (list) => list.map((one) => field(one, values[one.name], set));
  place.replaceChildren(
    ...fields(first),
    rest.length
      ? el(
          "details",
          {},
          el("summary", {}, `All ${first.length + rest.length} parameters`),
          ...fields(rest),
        )
      : "",
  );
}
