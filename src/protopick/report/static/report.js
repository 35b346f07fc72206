// Everything from the data reaches the page as text: by textContent, never as markup.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const { figures, objects, prototypes, classes, marks } = data;
  const byId = (id) => document.getElementById(id);
  const coarse = matchMedia("(pointer: coarse)").matches;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) { made.textContent = text; made.dir = "auto"; }
    return made;
  }

  // ---- Light and dark -------------------------------------------------------------------------

  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";

  function color(name) {
    const probe = document.body.appendChild(element("span"));
    probe.style.color = `var(--${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function nameTheme() { byId("theme").textContent = isDark() ? "Light" : "Dark"; }

  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
    drawAll();
  });
  prefersDark.addEventListener("change", () => { nameTheme(); drawAll(); });

  // ---- Charts ---------------------------------------------------------------------------------

  function themed(figure, name) {
    const shades = { accent: color("accent"), muted: color("muted"), ink: color("ink"), line: color("line"),
      raised: color("raised") };
    const traces = figure.data.map((trace) => {
      if (trace.meta === "prototypes") {
        const marker = { ...trace.marker, line: { color: shades.raised, width: 1.5 } };
        if (marker.color) return { ...trace, marker };
        marker.color = shades.accent;  // no classes
        return { ...trace, marker, textfont: { ...trace.textfont, color: shades.raised } };
      }
      const shade = shades[trace.meta];
      if (!shade) return trace;
      return { ...trace, line: { ...trace.line, color: shade }, marker: { ...trace.marker, color: shade },
        error_y: { ...trace.error_y, color: shade } };
    });
    const axis = (own) => ({ gridcolor: shades.line, linecolor: shades.line, zeroline: false, automargin: true,
      fixedrange: name !== "map" || coarse, ...own, title: { text: own.title || "", standoff: 12 } });
    const { xaxis, yaxis, ...rest } = figure.layout;
    const layout = { ...rest, xaxis: axis(xaxis), yaxis: axis(yaxis), paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)", showlegend: rest.showlegend || false, hovermode: "closest",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: shades.muted },
      margin: name === "map" ? { l: 16, r: 16, t: 16, b: 16 } : { l: 8, r: 8, t: 12, b: 8 },
      dragmode: name === "map" && !coarse ? "zoom" : false,
      hoverlabel: { bgcolor: shades.raised, bordercolor: shades.line, font: { color: shades.ink } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 } };
    return [traces, layout];
  }

  function draw(name) {
    const place = byId(`chart-${name}`);
    if (!place || !figures[name]) return null;
    const config = { displayModeBar: false, responsive: true, doubleClick: "reset" };
    return Plotly.react(place, ...themed(figures[name], name), config);
  }

  async function drawAll() {
    await Promise.all(Object.keys(figures).map(draw));
    await light();
  }

  // ---- What an object looks like --------------------------------------------------------------

  function objectName(id, index) { return id === null ? `object ${index}` : id; }

  function thumb(place) {
    const { src, across, down, width, height } = objects.pictures;
    const made = element("div", "thumb");
    made.style.aspectRatio = `${width} / ${height}`;
    made.style.backgroundImage = `url("${src}")`;
    made.style.backgroundSize = `${across * 100}% ${down * 100}%`;
    const share = (i, n) => (n > 1 ? (i / (n - 1)) * 100 : 0);
    made.style.backgroundPosition = `${share(place % across, across)}% ${share(Math.floor(place / across), down)}%`;
    return made;
  }

  function captioned(content, caption) {
    const made = element("figure");
    made.append(content, element("figcaption", "", caption));
    return made;
  }

  function drawn(paths, inPairs) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "-1 -1 202 86");
    for (const coded of paths) {
      const at = [...coded].map((letter) => LETTERS.indexOf(letter) / 63);
      const points = [];
      const step = inPairs ? 2 : 1;
      for (let i = 0; i < at.length; i += step) {
        const x = inPairs ? at[i] : at.length > 1 ? i / (at.length - 1) : 0.5;
        points.push(`${(200 * x).toFixed(1)} ${(84 * (1 - at[inPairs ? i + 1 : i])).toFixed(1)}`);
      }
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${points.join("L")}`);
      svg.append(path);
    }
    return svg;
  }

  function rows(cells) {
    const table = element("table");
    for (const [name, value] of cells) {
      const row = table.insertRow();
      row.append(element("th", "", name), element("td", "", value));
    }
    return table;
  }

  function looks(place) {
    const shown = objects.pictures;
    const rank = objects.nearest[place];
    switch (shown.kind) {
      case "sheet": {
        const pair = element("div", "pair");
        if (place < shown.count) pair.append(captioned(thumb(place), "this one"));
        if (place !== rank) pair.append(captioned(thumb(rank), "its prototype"));
        return pair;
      }
      case "texts": return element("div", "text", shown.texts[place]);
      case "series": return drawn(shown.paths[place], false);
      case "curves": return drawn(shown.paths[place], true);
      case "rows": return rows(shown.names.map((name, i) => [name, shown.cells[place][i]]));
      case "pairs": return rows(shown.cells[place]);
      default: return null;
    }
  }

  function labelled(name, [shade, shape]) {
    const made = element("div");
    const dot = element("span", `pp-dot pp-${shape}`);
    dot.style.background = shade;
    made.append(dot, element("bdi", "", name));
    return made;
  }

  function fillTip(tip, place) {
    const rank = objects.nearest[place];
    tip.replaceChildren(...[looks(place)].filter(Boolean));
    tip.append(element("div", "quiet", objectName(objects.id && objects.id[place], objects.index[place])));
    const code = objects.class ? objects.class[place] : null;
    if (code !== null) tip.append(labelled(classes[code], marks[code]));
    const label = prototypes[rank].label;
    const its = place === rank && place < prototypes.length ? "prototype" : "nearest prototype";
    tip.append(element("div", "quiet", `${its} #${rank + 1}${label === null ? "" : `, class ${label}`}`));
  }

  function showTip(event) {
    const tip = byId("tip");
    fillTip(tip, event.points[0].customdata);
    tip.hidden = false;
    const { clientX, clientY } = event.event;
    const { width, height } = tip.getBoundingClientRect();
    const x = clientX + 16 + width > innerWidth - 8 ? clientX - 16 - width : clientX + 16;
    const y = Math.min(clientY + 12, innerHeight - height - 8);
    tip.style.left = `${Math.max(8, x)}px`;
    tip.style.top = `${Math.max(8, y)}px`;
  }

  function hideTip() { byId("tip").hidden = true; }

  // ---- The map and the chosen prototype -------------------------------------------------------

  let chosen = null;

  function light() {
    const map = byId("chart-map");
    const places = figures.map.data.map((trace) => trace.customdata);
    const lit = places.map((of, i) => {
      if (chosen === null) return null;
      const isLast = i === places.length - 1;
      return of.flatMap((place, j) => ((isLast ? place === chosen : objects.nearest[place] === chosen) ? [j] : []));
    });
    return Plotly.restyle(map, { selectedpoints: lit });
  }

  function choose(rank) {
    chosen = chosen === rank ? null : rank;
    for (const button of document.querySelectorAll(".pp-pick")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.rank) === chosen));
    }
    const panel = byId("chosen");
    panel.hidden = chosen === null;
    light();
    if (chosen === null) return;
    const { label, id, index, stands_for: stands } = prototypes[chosen];
    const said = element("div");
    const name = element("div", "quiet");
    name.append(label === null ? "" : "class ", element("bdi", "", label === null ? objectName(id, index) : label),
      `, ${stands}`);
    said.append(element("div", "", `What #${chosen + 1} stands for`), name);
    const clear = element("button", "", "Show all");
    clear.type = "button";
    clear.addEventListener("click", () => choose(chosen));
    panel.replaceChildren(said, clear);
    byId("map").scrollIntoView({ block: "start" });
  }

  byId("gallery").addEventListener("click", (event) => {
    const button = event.target.closest(".pp-pick");
    if (button) choose(Number(button.dataset.rank));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTip();
    if (chosen !== null) choose(chosen);
  });
  for (const button of document.querySelectorAll(".switch")) {
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isOn));
      const trace = Number(button.dataset.trace);
      figures.map.data[trace].visible = isOn;
      Plotly.restyle(byId("chart-map"), { visible: isOn }, [trace]);
    });
  }
  byId("whole").addEventListener("click", () => {
    Plotly.relayout(byId("chart-map"), { "xaxis.autorange": true, "yaxis.autorange": true });
  });

  // ---- The gallery ----------------------------------------------------------------------------

  const gallery = byId("gallery");
  const all = byId("all");
  const cards = [...gallery.children];
  const keys = { worth: (card) => Number(card.dataset.rank), size: (card) => -Number(card.dataset.size),
    purity: (card) => -Number(card.dataset.purity || -1) };

  function arrange() {
    const order = byId("sort") ? byId("sort").value : "worth";
    const wanted = byId("filter") ? byId("filter").value : "";
    cards.sort((a, b) => keys[order](a) - keys[order](b) || keys.worth(a) - keys.worth(b));
    let shown = 0;
    for (const card of cards) {
      card.hidden = wanted !== "" && card.dataset.class !== wanted;
      card.style.display = card.hidden ? "none" : "";
      card.classList.toggle("beyond", all !== null && shown >= Number(all.dataset.shown));
      shown += card.hidden ? 0 : 1;
    }
    gallery.append(...cards);
    if (all) all.hidden = shown <= Number(all.dataset.shown) || !gallery.classList.contains("short");
  }

  for (const id of ["sort", "filter"]) if (byId(id)) byId(id).addEventListener("change", arrange);
  if (all) all.addEventListener("click", () => { gallery.classList.remove("short"); arrange(); });

  // ---- Copying --------------------------------------------------------------------------------

  async function copy(source) {
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {  // a page from disk may not be let near the clipboard
      getSelection().selectAllChildren(source);
      if (!document.execCommand("copy")) return "Selected";
    }
    return "Copied";
  }

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      button.textContent = await copy(byId(button.dataset.copies));
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
  }

  function listen() {
    const map = byId("chart-map");
    map.on("plotly_hover", showTip);
    map.on("plotly_click", showTip);
    map.on("plotly_unhover", hideTip);
    // The chart tells of a mark once: let it forget the one below the pointer, or its card would not come back.
    addEventListener("scroll", () => { hideTip(); Plotly.Fx.unhover(map); }, { passive: true });
    document.documentElement.dataset.ready = "yes";
  }

  nameTheme();
  arrange();
  drawAll().then(listen);
})();
