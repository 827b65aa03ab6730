/* Writes the page as one HTML file: modules, style, worker and WebAssembly in it, so that it works
 * from a local file without a network. usage: node bundle.mjs PACKAGE OUTPUT  (the folder of
 * cleave.wasm and cleave-wasm.mjs) */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [, , folder, output] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const source = (path) => readFileSync(path, "utf8");

/* Each module becomes a function that is called once and returns its exports. The module of
 * emscripten is in the package; import.meta.url is the address of the file that it loads unless it
 * gets the code. */
function bundle(entry) {
  const order = [];
  const visit = (path) => {
    if (order.some((one) => one.path === path)) return;
    const exported = [];
    let text = source(path).replaceAll("import.meta.url", '"https://localhost/"');
    text = text.replace(/^import\s+(\{[^}]*\}|\w+)\s+from\s+"([^"]+)";$/gm, (all, names, from) => {
      const target = from.endsWith("cleave-wasm.mjs")
        ? resolve(folder, from)
        : resolve(dirname(path), from);
      visit(target);
      const at = order.findIndex((one) => one.path === target);
      return `const ${
        names.startsWith("{") ? names.replaceAll(" as ", ": ") : `{ default: ${names} }`
      } = module${at};`;
    });
    text = text.replace(/^export\s+default\s+(\w+);$/gm, (all, name) => {
      exported.push(`default: ${name}`);
      return "";
    });
    text = text.replace(
      /^export\s+((?:async\s+)?function|class|const)\s+(\w+)/gm,
      (all, kind, name) => {
        exported.push(name);
        return `${kind} ${name}`;
      },
    );
    const left = /^(import|export)\s.*/m.exec(text);
    if (left) throw new Error(`${path}: bundle.mjs cannot read this line: ${left[0]}`);
    order.push({ path, text, exported });
  };
  visit(resolve(here, entry));
  const module = ({ text, exported }, i) =>
    `const module${i} = (() => {\n${text}\nreturn { ${exported.join(", ")} };\n})();\n`;
  return `"use strict";\n${order.map(module).join("")}`.replaceAll("</script", "<\\/script");
}

const parts = {
  style: source(join(here, "page/page.css")),
  page: bundle("page/page.js"),
  worker: bundle("page/worker.js"),
  wasm: gzipSync(readFileSync(join(folder, "cleave.wasm")), { level: 9 }).toString("base64"),
};
const page = source(join(here, "page/page.html")).replace(
  /\{\{(\w+)\}\}/g,
  (all, name) => parts[name],
);
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes, gzip ${gzipSync(page, { level: 9 }).length}`);
