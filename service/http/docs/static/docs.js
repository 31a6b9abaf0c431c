// The page of the API's description: real addresses in its commands, and requests that
// are sent from it. Without this script the page can still be read.

const main = document.querySelector("main");
const root = location.origin + main.dataset.root;
const key = document.querySelector("[data-key]");
const known = { $HOST: root, $ID: "", $WATCH_ID: "" };

const fill = (text) =>
  text.replace(/\$(HOST|ID|WATCH_ID)\b/g, (name) => known[name] || name);

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Write commands and requests with what is known by now. */
function fillIn() {
  for (const command of document.querySelectorAll("main pre code")) {
    if (command.closest(".trial")) continue;
    command.dataset.text ??= command.textContent;
    command.textContent = fill(command.dataset.text);
  }
  for (const path of document.querySelectorAll("input.path")) {
    if (path.value === path.defaultValue) path.value = path.defaultValue = fill(path.dataset.text);
  }
}

function remember(path, sent) {
  if (path !== "/v1/games" || !sent?.id) return;
  Object.assign(known, { $ID: sent.id, $WATCH_ID: sent.watch_id });
  fillIn();
}

function show(response, text) {
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  const value = isJson && text ? JSON.parse(text) : null;
  const body = isJson && text ? JSON.stringify(value, null, 2) : text;
  return [value, `${response.status} ${response.statusText}\n${fields.join("\n")}\n\n${body}`];
}

async function send(method, path, body, output) {
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (key.value) headers["Authorization"] = `Bearer ${key.value}`;
  output.textContent = "…";
  output.parentElement.hidden = false;
  try {
    const response = await fetch(main.dataset.root + path, { method, headers, body: body || null });
    const [value, text] = show(response, await response.text());
    output.textContent = text;
    if (response.ok) remember(path, value);
  } catch (error) {
    output.textContent = `The request could not be sent: ${error.message}`;
  }
}

function addTrial(operation) {
  const { method, path: address, body: example } = operation.dataset;
  const path = make("input", { className: "path", type: "text", spellcheck: false });
  path.dataset.text = path.value = path.defaultValue = address;
  const rows = [make("label", {}, "Path and query", path)];
  const body = example === undefined ? null : make("textarea", { rows: 4, spellcheck: false, value: example });
  if (body) rows.push(make("label", {}, "Body", body));
  const output = make("code", {});
  output.setAttribute("aria-live", "polite");
  const button = make("button", { type: "button", textContent: `Send ${method}` });
  button.addEventListener("click", () => send(method, path.value, body?.value.trim(), output));
  operation.append(
    make("section", { className: "trial" }, make("h4", { textContent: "Try it" }), ...rows, button,
      make("pre", { hidden: true }, output)),
  );
}

/** Open what the address leads to. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName !== "DETAILS") return;
  target.open = true;
  target.scrollIntoView();
}

for (const operation of document.querySelectorAll(".operation")) addTrial(operation);
document.querySelector(".shell").hidden = false;
document.querySelector("[data-host]").textContent = root;
fillIn();
openTarget();
addEventListener("hashchange", openTarget);
document.getElementById("contents").addEventListener("click", (event) => {
  const contents = event.currentTarget;
  if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
});
