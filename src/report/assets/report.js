// Curves, theme and seed selector of a report. Reads the JSON of #data; never reaches the network.
"use strict";
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  const data = JSON.parse(document.getElementById("data").textContent);

  // ---- small helpers
  function element(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  function power(exponent) {
    return "10" + String(exponent).replace(/./g, (c) => superscripts[c]);
  }
  function minus(text) {
    return text.replace(/^-/, "−");
  }
  // Four significant digits, as in the tables.
  function number(value) {
    if (value === null || value === undefined || !isFinite(value)) return "–";
    if (value === 0) return "0";
    const [digits, e] = value.toExponential(3).split("e");
    const exponent = Number(e);
    if (exponent >= -3 && exponent <= 5) return minus(value.toFixed(Math.max(0, 3 - exponent)));
    return minus(digits) + "×" + power(exponent);
  }
  function twoDigits(value) {
    if (value === 0) return "0";
    const exponent = Math.floor(Math.log10(value));
    return exponent < -6 || exponent > 5 ? number(value) : value.toFixed(Math.max(0, 1 - exponent));
  }
  function whole(value) {
    return Number.isInteger(value) ? minus(value.toLocaleString("en-US")) : number(value);
  }
  // How many decimals it takes to write multiples of `step` exactly.
  function decimals(step) {
    let n = 0;
    while (n < 8 && Math.abs(step * 10 ** n - Math.round(step * 10 ** n)) > 1e-6 * step * 10 ** n) n++;
    return n;
  }
  function tickLabels(scale) {
    return (u, splits, axis, space, step) => splits.map((v) => {
      if (v === null) return "";
      if (v === 0) return "0";
      if (scale !== "linear") {
        const e = Math.log10(Math.abs(v));
        const isPower = Math.abs(e - Math.round(e)) < 1e-9;
        return Math.abs(e) < 3 ? String(Number(v.toPrecision(3))) : isPower ? power(Math.round(e)) : "";
      }
      const largest = Math.max(...splits.map(Math.abs));
      if (largest >= 1e6 || largest < 1e-3) {
        const [digits, x] = v.toExponential(2).split("e");
        return minus(String(Number(digits))) + "×" + power(Number(x));
      }
      return minus(v.toFixed(decimals(step)));
    });
  }

  // ---- colours follow the theme: the style sheet is asked for them
  const probe = element("span");
  probe.hidden = true;
  document.body.append(probe);
  let colours = {};
  function colour(name, alpha) {
    if (!colours[name]) {
      probe.style.color = "var(--" + name + ")";
      colours[name] = getComputedStyle(probe).color;
    }
    return alpha === undefined ? colours[name] : colours[name].replace(/^rgb\((.*)\)$/, "rgba($1, " + alpha + ")");
  }

  // ---- one figure
  const plots = [];
  let xName = null;

  // What the y values become on a scale; null: not shown.
  const shown = {
    linear: (y) => y,
    log: (y) => (y !== null && y > 0 ? y : null),
    size: (y) => (y !== null && y !== 0 ? Math.abs(y) : null),
  };

  function signs(figure) {
    const found = { positive: 0, negative: 0, zero: 0 };
    for (const curve of figure.curves) {
      for (const list of curve.seeds.length ? curve.seeds : [curve.mean]) {
        for (const y of list) if (y !== null) found[y > 0 ? "positive" : y < 0 ? "negative" : "zero"]++;
      }
    }
    return found;
  }

  class Plot {
    constructor(host, figure) {
      this.host = host;
      this.figure = figure;
      this.live = host.querySelector(".live");
      this.note = host.querySelector(".note");
      this.hidden = new Set();
      this.found = signs(figure);
      this.severalSeeds = figure.curves.some((c) => c.seeds.length > 1);
      // Wholly negative values are shown by their size; a mixture loses those not above zero.
      this.logScale = this.found.positive ? "log" : this.found.negative ? "size" : null;
      this.scale = figure.log && this.logScale === "log" ? "log" : "linear";
      this.addLogButton();
      this.addLegend();
      this.tip = element("div", "tip");
      this.tip.hidden = true;
      this.live.tabIndex = 0;
      this.live.setAttribute("role", "img");
      this.live.setAttribute("aria-label", figure.title + ". Arrow keys move through the points.");
      this.draw();
      this.listen();
    }

    addLogButton() {
      const button = element("button", "log js-only", this.logScale === "size" ? "log |y|" : "log y");
      button.type = "button";
      if (!this.logScale) {
        button.disabled = true;
        button.title = "All values are 0: there is nothing to show on a logarithmic scale.";
      } else if (this.logScale === "size") {
        button.title = "The values are negative: the logarithmic scale shows their size |y|.";
      } else {
        button.title = "Logarithmic scale";
      }
      button.addEventListener("click", () => {
        this.scale = this.scale === "linear" ? this.logScale : "linear";
        this.draw();
      });
      this.logButton = button;
      this.host.querySelector(".head").append(button);
    }

    addLegend() {
      const legend = this.host.querySelector(".legend");
      const add = (key, text, help, mark, paint) => {
        const button = element("button");
        button.type = "button";
        button.dataset.key = key;
        button.title = help;
        button.setAttribute("aria-pressed", "true");
        const line = element("i", mark);
        line.style.color = "var(--" + paint + ")";
        button.append(line, element("span", "", text));
        button.addEventListener("click", () => {
          if (!this.hidden.delete(key)) this.hidden.add(key);
          button.setAttribute("aria-pressed", String(!this.hidden.has(key)));
          this.draw();
        });
        legend.append(button);
      };
      this.figure.curves.forEach((c, i) => add("curve" + i, c.name, c.help, "", "c" + c.colour));
      if (this.severalSeeds) {
        add("band", "± 1 sd", "one standard deviation over the seeds", "band", "muted");
        add("seeds", "seeds", "every seed by itself", "thin", "muted");
      }
    }

    // The points of a curve whose x is known and grows: x, then the lists that are drawn. On a log
    // scale a band reaches no lower than the lowest seed: below zero there is no place for it.
    table(curve, axis) {
      const f = shown[this.scale];
      const rows = [];
      let last = -Infinity;
      curve.x[axis].forEach((x, i) => {
        if (x !== null && x > last) { rows.push(i); last = x; }
      });
      const pick = (list, g) => rows.map((i) => g(list[i], i));
      const edge = (sign) => (m, i) => {
        const y = f(m);
        if (y === null || curve.sd[i] === null) return null;
        const end = y + sign * curve.sd[i];
        if (this.scale === "linear") return end;
        return Math.max(end, Math.min(y, ...curve.seeds.map((list) => f(list[i])).filter((v) => v !== null)));
      };
      return [pick(curve.x[axis], (x) => x), pick(curve.mean, edge(1)), pick(curve.mean, edge(-1)),
        ...curve.seeds.map((list) => pick(list, f)), pick(curve.mean, f)];
    }

    series() {
      const list = [{}];
      const bands = [];
      this.meanAt = [];
      this.seedsAt = [];
      this.figure.curves.forEach((c, i) => {
        const on = !this.hidden.has("curve" + i);
        const paint = "c" + c.colour;
        const band = on && this.severalSeeds && !this.hidden.has("band");
        bands.push({ series: [list.length, list.length + 1], fill: () => colour(paint, 0.16) });
        list.push({ show: band, stroke: "transparent", width: 0, points: { show: false } });
        list.push({ show: band, stroke: "transparent", width: 0, points: { show: false } });
        this.seedsAt.push(list.length);
        for (let s = 0; s < c.seeds.length; s++) {
          list.push({
            show: on && c.seeds.length > 1 && !this.hidden.has("seeds"),
            stroke: () => colour(paint, 0.3), width: 1, points: { show: false },
          });
        }
        this.meanAt.push(list.length);
        const few = c.mean.length < 40;
        list.push({ show: on, stroke: () => colour(paint), width: 2, points: { show: few, size: 5, fill: () => colour(paint) } });
      });
      return { list, bands };
    }

    options(list, bands) {
      const style = { stroke: () => colour("muted"), font: "11px " + getComputedStyle(this.live).fontFamily, ticks: { stroke: () => colour("rule"), size: 4, width: 1 } };
      const none = { show: false };
      // On a log scale only whole powers of ten get a line.
      const isPower = (v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;
      const decades = this.scale === "linear" ? {} : { filter: (u, splits) => splits.map((v) => (isPower(v) ? v : null)) };
      const yScale = this.scale === "linear"
        ? { range: (u, low, high) => padded(low, high) }
        : { distr: 3 };
      return {
        ...this.size(),
        legend: none,
        series: list,
        bands,
        scales: { x: { time: false }, y: yScale },
        axes: [
          { ...style, grid: none, size: 34, space: 60, label: this.axisName(), labelSize: 18, labelFont: style.font, labelGap: 0, values: tickLabels("linear") },
          { ...style, grid: { stroke: () => colour("rule"), width: 1, ...decades }, ticks: { ...style.ticks, ...decades }, gap: 6, space: 38, values: tickLabels(this.scale), size: (u, texts) => 16 + 6.7 * Math.max(2, ...(texts || []).map((t) => (t || "").length)) },
        ],
        padding: [10, 18, 0, 0],
        cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
        hooks: { setCursor: [(u) => this.showTip(u)] },
      };
    }

    axisName() {
      return this.figure.x[this.axis()];
    }

    axis() {
      return Math.max(0, this.figure.x.indexOf(xName));
    }

    size() {
      const width = Math.max(200, Math.floor(this.live.clientWidth));
      return { width, height: width > 700 ? 330 : 250 };
    }

    draw() {
      if (this.u) this.u.destroy();
      const { list, bands } = this.series();
      const tables = this.figure.curves.map((c) => this.table(c, this.axis()));
      this.points = tables.length > 1 ? uPlot.join(tables) : tables[0];
      this.u = new uPlot(this.options(list, bands), this.points, this.live);
      this.u.over.append(this.tip);
      this.tip.hidden = true;
      this.logButton.setAttribute("aria-pressed", String(this.scale !== "linear"));
      this.host.dataset.scale = this.scale;
      this.sayWhatIsMissing();
    }

    sayWhatIsMissing() {
      const { negative, zero } = this.found;
      let text = "";
      if (this.scale === "log" && negative + zero > 0) {
        text = (negative + zero).toLocaleString("en-US") + " points that are not above 0 are not shown on the logarithmic scale.";
      } else if (this.scale === "size") {
        text = "The size |y| is shown: all values are negative" +
          (zero ? ", except for " + zero.toLocaleString("en-US") + " points at 0, which are not shown." : ".");
      }
      this.note.textContent = text;
      this.note.hidden = text === "";
    }

    // The value nearest to `index`: curves that were measured elsewhere have none at it.
    valueNear(list, index) {
      for (let d = 0; d < list.length; d++) {
        if (list[index - d] !== undefined) return list[index - d];
        if (list[index + d] !== undefined) return list[index + d];
      }
      return null;
    }

    showTip(u) {
      const { left, idx } = u.cursor;
      this.tip.hidden = idx === null || idx === undefined || left < 0;
      if (this.tip.hidden) return;
      this.tip.replaceChildren(element("div", "", this.axisName() + " " + whole(this.points[0][idx])), this.tipTable(idx));
      const right = left > u.over.clientWidth / 2;
      this.tip.style.left = right ? "auto" : left + 14 + "px";
      this.tip.style.right = right ? u.over.clientWidth - left + 14 + "px" : "auto";
      this.tip.style.top = "4px";
    }

    tipTable(idx) {
      const table = element("table");
      this.figure.curves.forEach((c, i) => {
        if (this.hidden.has("curve" + i)) return;
        const size = this.scale === "size";
        const mean = this.valueNear(this.points[this.meanAt[i]], idx);
        const upper = this.valueNear(this.points[this.meanAt[i] - c.seeds.length - 2], idx);
        const row = table.insertRow();
        const name = element("th", "", size ? "|" + c.name + "|" : c.name);
        name.style.color = "var(--c" + c.colour + ")";
        row.append(name, element("td", "", number(mean)));
        if (this.severalSeeds) row.append(element("td", "", upper === null || mean === null ? "" : "± " + twoDigits(upper - mean)));
        if (c.seeds.length > 1 && c.seeds.length <= 8 && this.figure.curves.length <= 3 && !this.hidden.has("seeds")) {
          const seeds = table.insertRow();
          seeds.className = "seeds";
          const cell = element("td", "", c.seeds.map((_, s) => number(this.valueNear(this.points[this.seedsAt[i] + s], idx))).join(" "));
          cell.colSpan = 3;
          cell.className = "words";
          seeds.append(cell);
        }
      });
      return table;
    }

    moveTo(idx) {
      const last = this.points[0].length - 1;
      const i = Math.min(last, Math.max(0, idx));
      this.u.setCursor({ left: this.u.valToPos(this.points[0][i], "x"), top: 10 });
    }

    listen() {
      new ResizeObserver(() => {
        const size = this.size();
        if (size.width !== this.u.width) this.u.setSize(size);
      }).observe(this.live);
      const touch = (event) => {
        if (event.pointerType !== "touch") return;
        const box = this.u.over.getBoundingClientRect();
        this.u.setCursor({ left: event.clientX - box.left, top: event.clientY - box.top });
      };
      this.live.addEventListener("pointerdown", touch);
      this.live.addEventListener("pointermove", touch);
      this.live.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
        if (event.key === "Escape") this.u.setCursor({ left: -10, top: -10 });
        if (step === undefined) return;
        event.preventDefault();
        const idx = this.u.cursor.idx;
        this.moveTo(idx === null || idx === undefined ? 0 : idx + step);
      });
    }
  }

  function padded(low, high) {
    if (low === null || high === null) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-12 * size) return size === 0 ? [-1, 1] : [low - size / 2, high + size / 2];
    const pad = 0.05 * (high - low);
    return [low - pad, high + pad];
  }

  // ---- a row of buttons of which one is pressed
  function choice(host, names, pressed, choose) {
    const buttons = names.map((name) => {
      const button = element("button", "", name);
      button.type = "button";
      button.setAttribute("aria-pressed", String(name === pressed));
      button.addEventListener("click", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        choose(name);
      });
      host.append(button);
      return button;
    });
  }

  // ---- theme
  function redrawAll() {
    colours = {};
    for (const plot of plots) plot.u.redraw(false, false);
  }
  function stored(value) {
    try {
      if (value === undefined) return localStorage.getItem("rgu-theme");
      localStorage.setItem("rgu-theme", value);
    } catch (error) { /* Pages opened from a file may not store anything: the choice lasts while the page does. */ }
    return null;
  }
  function addThemeButton() {
    const button = document.querySelector(".theme");
    const themes = ["auto", "light", "dark"];
    const use = (theme) => {
      if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
      button.textContent = "Theme: " + theme;
      button.dataset.now = theme;
      redrawAll();
    };
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(button.dataset.now) + 1) % themes.length];
      stored(next);
      use(next);
    });
    use(themes.includes(stored()) ? stored() : "auto");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  }

  // ---- seeds
  function addSeedSelectors() {
    const selectors = [...document.querySelectorAll("select.seed")];
    for (const select of selectors) {
      select.addEventListener("change", () => {
        for (const other of selectors) other.value = select.value;
        for (const part of document.querySelectorAll("[data-seed]")) part.hidden = part.dataset.seed !== select.value;
      });
    }
  }

  // ---- start
  for (const host of document.querySelectorAll("[data-figure]")) {
    const figure = data.figures.find((f) => f.id === host.dataset.figure);
    if (figure) plots.push(new Plot(host, figure));
  }
  const xHost = document.querySelector(".x-axis");
  const xNames = [...new Set(data.figures.flatMap((f) => f.x))];
  if (xHost && xNames.length > 1) {
    choice(xHost, xNames, xNames[0], (name) => {
      xName = name;
      for (const plot of plots) plot.draw();
    });
  } else if (xHost) {
    xHost.hidden = true;
  }
  addThemeButton();
  addSeedSelectors();
})();
