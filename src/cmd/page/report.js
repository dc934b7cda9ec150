//<![CDATA[
/*
 * Draw the records of a page. c2c wrote the words and drew the curves. This
 * script shows the words and curves, and draws the heatmaps. Data from records
 * becomes text nodes, attributes and pixels, never markup.
 *
 * The part of the address behind # has the reader's choices, so that an address
 * can show a view: #0.order=topology&0.cell=3,19&theme=dark
 */
"use strict";
(function () {
	const words = JSON.parse(document.getElementById("words").textContent);
	const choices = new URLSearchParams(location.hash.slice(1));
	const maps = [];
	const parsed = {};

	/* Return a record by the id of its element. */
	function recordOf(id) {
		if (!parsed[id])
			parsed[id] = JSON.parse(
				document.getElementById(id).textContent);
		return parsed[id];
	}

	let written;

	/* Browsers limit how often a page may change its address. */
	function choose(key, value) {
		choices.set(key, value);
		clearTimeout(written);
		written = setTimeout(
			() => history.replaceState(null, "", "#" + choices), 300);
	}

	/* Make an element; texts among the children become text nodes. */
	function el(name, attributes, ...children) {
		const [tag, ...classes] = name.split(".");
		const made = document.createElement(tag);

		made.className = classes.join(" ");
		for (const key in attributes || {})
			made.setAttribute(key, attributes[key]);
		made.append(...children.filter((child) => child !== null));
		return made;
	}

	/* Format a number: four digits, or all of a longer whole part. */
	function number(value) {
		return !Number.isFinite(value) ? "?"
			: String(Math.abs(value) >= 1000 ? Math.round(value)
				: Number.isInteger(value) ? value
					: +value.toPrecision(4));
	}

	/* Return a number of a record, or NaN without one. */
	function orNaN(value) {
		return Number.isFinite(value) ? value : NaN;
	}

	function plural(n, word) {
		return n + " " + word + (n === 1 ? "" : "s");
	}

	function capital(text) {
		return text.charAt(0).toUpperCase() + text.slice(1);
	}

	function colourOf(name) {
		return getComputedStyle(document.documentElement)
			.getPropertyValue(name).trim();
	}

	/* ---- the palette ---- */

	function rgb(hex) {
		return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16))
			.concat(255);
	}

	const palette = words.palette
		? words.palette.match(/.{6}/g).map(rgb) : [];

	/* Return the index of a value's colour in the palette. */
	function shade({low, high, flat, reversed}, value) {
		const share = flat ? 0.5 : (value - low) / (high - low);

		return Math.round(Math.min(Math.max(reversed ? 1 - share : share, 0),
			1) * (palette.length - 1));
	}

	/* ---- tables ---- */

	const ROWS_SHOWN = 200;

	function copyButton(lines) {
		const button = el("button.copy", {type: "button"}, "Copy table");

		/* Browsers offer it to files and to secure sites. */
		button.hidden = !navigator.clipboard;
		button.addEventListener("click", () => {
			const text = lines().map((line) => line.join("\t")).join("\n") +
				"\n";

			navigator.clipboard.writeText(text).then(() => {
				button.textContent = "Copied";
				setTimeout(() => button.textContent = "Copy table", 1500);
			});
		});
		return button;
	}

	function compareCells(a, b) {
		if (typeof a === "number" && typeof b === "number") {
			if (Number.isNaN(a) || Number.isNaN(b))
				return Number.isNaN(a) - Number.isNaN(b);
			return a - b;
		}
		return String(a).localeCompare(String(b), "en", {numeric: true});
	}

	/*
	 * Make a table that a click on a head sorts. heads are texts; a row is
	 * a list of texts and numbers.
	 */
	function table(heads, rows) {
		const body = el("tbody");
		const more = el("button.more", {type: "button"});
		const isNumber = heads.map(
			(head, at) => rows.some((row) => typeof row[at] === "number"));
		const text = (cell) => typeof cell === "number" ? number(cell) : cell;
		let shown = ROWS_SHOWN;

		function fill() {
			body.replaceChildren(...rows.slice(0, shown).map((row) =>
				el("tr", null, ...row.map((cell, at) =>
					el(isNumber[at] ? "td.number" : "td", null,
						text(cell))))));
			more.hidden = rows.length <= shown;
			more.textContent = "Show more of " + rows.length + " rows";
		}

		const cells = heads.map((head, at) => {
			const button = el("button", {type: "button"}, head);
			const cell = el(isNumber[at] ? "th.number" : "th",
				{scope: "col"}, button);

			button.addEventListener("click", () => {
				const up = cell.getAttribute("aria-sort") !== "ascending";

				for (const other of cells)
					other.removeAttribute("aria-sort");
				cell.setAttribute("aria-sort",
					up ? "ascending" : "descending");
				rows.sort((a, b) => up ? compareCells(a[at], b[at])
					: compareCells(b[at], a[at]));
				fill();
			});
			return cell;
		});
		more.addEventListener("click", () => {
			shown *= 5;
			fill();
		});
		fill();
		return el("div.table", null,
			el("div.scroll", {tabindex: "0"},
				el("table", null, el("thead", null, el("tr", null, ...cells)),
					body)),
			copyButton(() => [heads, ...rows.map((row) => row.map(text))]),
			" ", more);
	}

	/* Make the content only when it is opened, because it may be long. */
	function folded(title, make) {
		const made = el("details", null, el("summary", null, title));

		made.addEventListener("toggle", () => {
			if (made.open && made.children.length < 2)
				made.append(make());
		});
		return made;
	}

	/* List the facts of an object; inner ones are named "outer inner". */
	function facts(object, before) {
		const rows = [];

		for (const key in object || {}) {
			const value = object[key];
			const name = before + key.replace(/_/g, " ");

			if (Array.isArray(value) && value.some((v) => typeof v === "object"))
				continue;
			if (value && typeof value === "object" && !Array.isArray(value))
				rows.push(...facts(value, name + " "));
			else
				rows.push([name, value === null ? "unknown"
					: Array.isArray(value) ? value.join(", ")
						: String(value)]);
		}
		return rows;
	}

	/* ---- words ---- */

	/*
	 * Make a card for each head with the text below the head; fold inner
	 * heads.
	 */
	function cards(pieces) {
		const all = el("div.found-all");
		let host = all, card = null;

		const open = (wide) => {
			const last = host.lastElementChild;
			const grid = wide ? host : last && last.className === "cards"
				? last : el("div.cards");

			card = el("section.found");
			grid.append(card);
			if (!wide)
				host.append(grid);
		};
		const inside = (tag) => {
			if (!card)
				open(false);
			if (!card.lastElementChild ||
				card.lastElementChild.tagName !== tag.toUpperCase())
				card.append(el(tag));
			return card.lastElementChild;
		};

		for (const piece of pieces) {
			if (piece.part !== undefined) {
				host = piece.part === null ? all : el("details.part", null,
					el("summary", null, piece.part));
				if (host !== all)
					all.append(host);
				card = null;
			} else if (piece.head !== undefined) {
				open(false);
				card.append(el("h4", null, piece.head));
			} else if (piece.block !== undefined) {
				open(true);
				card.append(el("pre", {tabindex: "0"}, piece.block));
				card = null;
			} else if (piece.row !== undefined) {
				inside("dl").append(el("dt", null, piece.row), piece.items
					? el("dd.list", null, ...piece.items.map(
						(item) => el("span", null, item)))
					: el("dd", null, piece.text));
			} else if (piece.item !== undefined) {
				inside("ul").append(el("li", null, piece.item.trim()));
			} else {
				host.append(el("p", null, piece.text));
				card = null;
			}
		}
		return all;
	}

	function wordsOf(pieces, title) {
		return pieces.length
			? el("section.words", null, el("h3", null, title), cards(pieces))
			: null;
	}

	function doubtsOf(title, items) {
		return items.length
			? el("details.doubts", null, el("summary", null,
				title + " (" + items.length + ")"),
			el("ul", null, ...items))
			: null;
	}

	/* Make the advice of a report, or else the first words on a side. */
	function leadOf(side) {
		const advice = side.answers.find((piece) => piece.row === "To do");
		const first = side.words.concat(side.records[0].words).find(
			(piece) => piece.head || piece.text);
		const lead = advice ? advice.text : first && (first.head || first.text);

		return lead ? el("p.lead", null, lead) : null;
	}

	/*
	 * List the warnings in a record about what disturbs a measurement: those
	 * of all records on its side, or the others.
	 */
	function warningItems(record, side, common) {
		const of = (one) => {
			const {machine} = recordOf(one.record);

			return machine && Array.isArray(machine.warnings)
				? machine.warnings : [];
		};

		return of(record).filter(({what}) => common === side.records.every(
			(one) => of(one).some((other) => other.what === what))).map(
			({what, remedy}) => el("li", null, String(what), remedy
				? el("div.remedy", null, "Remedy: " + remedy) : null));
	}

	/* ---- heatmaps ---- */

	/* Divide "latency median". */
	function nameAndStatistic(value) {
		const at = value.lastIndexOf(" ");

		return [value.slice(0, at), value.slice(at + 1)];
	}

	/* A heatmap of this many members has its own row on the page. */
	const LARGE = 200;
	/* A heatmap of at most this many members is not stretched. */
	const SMALL = 6;

	/* Return the value of a number of steps: see page_cells.c. */
	function valueOf(step, decimals) {
		const digits = Math.max(0, Math.min(decimals,
			Math.floor((step - 1000) / 9000)));
		const whole = step - 9000 * digits;
		const power = Math.pow(10, Math.abs(decimals - digits));

		return decimals < 0 ? whole * power : whole / power;
	}

	class Heatmap {
		constructor(record, side) {
			this.record = record;
			this.side = side;
			this.key = record.record.replace("record-", "");
			this.command = recordOf(record.record).command;
			this.members = record.members;
			this.n = record.members.length;
			this.build();
			this.restore();
			this.addControls();
			this.show();
		}

		get now() {
			return this.record.phases[this.phase];
		}

		/* Return the steps of a matrix of the phase: see page_cells.c. */
		stepsOf({name, symmetric, cells: {codes, beside}}) {
			const n = this.n;
			const steps = new Float64Array(n * n).fill(NaN);
			const near = beside ? this.stepsOf(this.now.matrices.find(
				({matrix}) => matrix.name === name &&
					matrix.statistic === "median").matrix) : [];
			let at = 0, before = 0, equal = 0;

			const code = () => {
				let sum = 0, weight = 1, letter;

				if (equal === 0 && codes[at] === "=") {
					at++;
					equal = 32;
				}
				if (equal > 0) {
					equal--;
					return 1;
				}
				while ((letter = codes.charCodeAt(at++)) < 60) {
					sum += weight * (letter - 39);
					weight *= 21;
				}
				return sum + weight * (letter - (letter > 92 ? 64 : 63));
			};

			for (let i = 0; i < n; i++) {
				for (let j = symmetric ? i : 0; j < n; j++) {
					const made = code(), cell = i * n + j;

					if (made === 0)
						continue;
					before += made % 2 ? (1 - made) / 2 : made / 2;
					steps[cell] = before + (near[cell] || 0);
					if (symmetric)
						steps[j * n + i] = steps[cell];
				}
			}
			return steps;
		}

		/* Return a matrix of the phase, its layout and its values. */
		find(name, statistic) {
			const drawn = this.now.matrices.find(({matrix}) =>
				matrix.name === name && matrix.statistic === statistic);

			if (drawn && !drawn.values) {
				const {decimals} = drawn.matrix.cells;

				drawn.values = this.stepsOf(drawn.matrix).map((step) =>
					valueOf(step, decimals));
			}
			return drawn;
		}

		/*
		 * Return the drawn matrix; an epoch has fewer matrices than the
		 * run.
		 */
		get shown() {
			const {name, statistic} = this.now.matrices[0].matrix;

			return this.find(...this.matrix) ||
				this.find(this.matrix[0], "median") ||
				this.find(name, statistic);
		}

		/* Return the order; an epoch may lack the order of the run. */
		get order() {
			const {orders} = this.now;

			return orders.find(({name}) => name === this.orderName) ||
				orders[0];
		}

		get places() {
			return this.order.places;
		}

		/* -- controls -- */

		/* Add a control that changes a choice, which the address keeps. */
		control(label, name, attributes, change) {
			const id = "c" + this.key + "-" + label;
			const made = el(name, Object.assign({id}, attributes));

			made.addEventListener(name === "select" ? "change" : "input",
				() => {
					change(made.value);
					choose(this.key + "." + label, made.value);
					this.show();
				});
			this.controls.append(el("label", {for: id}, capital(label)), made);
			return made;
		}

		/* Offer values with their texts. */
		offer(select, options, chosen) {
			select.replaceChildren(...options.map(([value, text]) =>
				el("option", {value}, text)));
			select.value = chosen;
		}

		build() {
			this.controls = el("div.controls");
			this.map = el("div.map", {tabindex: "0", role: "application",
				"aria-roledescription": "heatmap",
				"aria-label": "Heatmap of " + this.n + " by " + this.n + " " +
					this.record.member +
					"s. Arrow keys move the cell, whose values are read."});
			this.base = el("canvas");
			this.tip = el("div.tip", {"aria-hidden": "true"});
			this.marks = ["frame", "line", "line", "label", "label"].map(
				(kind) => el("div.mark." + kind));
			this.map.append(this.base, ...this.marks, this.tip);
			this.bar = el("div.bar");
			this.pointer = el("div.pointer");
			this.caption = el("p.caption");
			this.notes = el("p.caption");
			this.live = el("p.hidden", {"aria-live": "polite"});
			this.readout = el("div.cell");
			this.picture = el("div.picture", null, this.map, this.bar,
				this.caption, this.notes);
			this.element = el(this.n >= LARGE ? "div.view.large"
				: this.n <= SMALL ? "div.view.small" : "div.view", null,
			this.picture,
				el("div.aside", null, this.controls, this.readout, this.live));
			this.listen();
			new ResizeObserver(() => requestAnimationFrame(
				() => this.resize())).observe(this.picture);
			maps.push(this);
		}

		addControls() {
			const drawn = this.record.phases[0].matrices;
			const last = this.record.phases.length - 1;
			const several = drawn.some(({name}) => name !== drawn[0].name);

			this.offer(this.control("matrix", "select", {}, (value) => {
				this.matrix = nameAndStatistic(value);
			}), drawn.map(({name, matrix: {name: key, statistic}}) => [
				key + " " + statistic,
				(several ? name + ", " : "") + statistic]),
			this.matrix.join(" "));
			this.orderControl = this.control("order", "select", {},
				(value) => {
					this.orderName = value;
				});
			if (last < 1)
				return;
			this.epoch = this.control("epoch", "input", {type: "range",
				min: "0", max: String(last), step: "1",
				value: String(this.phase)}, (value) => {
				this.phase = +value;
			});
			this.epochName = el("output", {for: this.epoch.id});
			this.controls.append(this.epochName);
		}

		/* Apply the choices in the address and in c2c's options. */
		restore() {
			const {matrix, statistic, phases} = this.record;
			const asked = (name) => choices.get(this.key + "." + name);
			const cell = (asked("cell") || "").split(",").map(
				(member) => this.members.indexOf(+member));

			this.phase = Math.min(Math.max(parseInt(asked("epoch"), 10) || 0,
				0), phases.length - 1);
			this.orderName = asked("order") || words.order;
			this.matrix = nameAndStatistic(
				asked("matrix") || matrix + " " + statistic);
			this.cell = cell.length === 2 && cell.every((at) => at >= 0)
				? cell : null;
		}

		show() {
			this.offer(this.orderControl, this.now.orders.map(
				({name, title}) => [name, title]), this.order.name);
			if (this.epoch) {
				this.epochName.textContent = capital(this.now.name);
				this.epoch.setAttribute("aria-valuetext", this.now.name);
			}
			this.draw();
			this.tell();
		}

		/* -- drawing -- */

		resize() {
			const wide = Math.floor(this.picture.clientWidth);

			if (wide > 0 && wide !== this.wide) {
				this.wide = wide;
				this.draw();
			}
		}

		layout() {
			const digits = String(Math.max(...this.members, 0)).length;
			const ratio = Math.max(window.devicePixelRatio || 1, 1);
			/*
			 * Leave room above and below for labels of thin rows.
			 */
			const left = 26 + 7.5 * digits, top = 8, bottom = 40;
			const room = Math.min(this.wide - left - 2, this.n >= LARGE
				? Infinity : Math.max(window.innerHeight - 350, 420));
			/* Large cells take whole pixels of the screen. */
			const pixels = Math.min(Math.floor(room * ratio / this.n),
				Math.floor(110 * ratio));
			const cell = pixels >= 1 ? pixels / ratio : room / this.n;

			this.ratio = ratio;
			this.grid = {left, top, cell, size: cell * this.n,
				wide: left + cell * this.n + 2,
				tall: top + cell * this.n + bottom, digits};
		}

		draw() {
			if (!this.wide)
				return;
			this.layout();
			const shown = this.shown;

			this.map.style.width = this.grid.wide + "px";
			this.drawCells(shown);
			this.showBar(shown);
			this.markCell(shown);
			this.caption.textContent = shown.caption;
			this.notes.textContent = shown.notes +
				(this.matrix[1] === shown.matrix.statistic ? ""
					: " An epoch has no " + this.matrix[1] +
						"; this is the " + shown.matrix.statistic + ".");
		}

		/* Draw in pixels of the page on a canvas of pixels of the screen. */
		drawCells(shown) {
			const {left, top, cell, size, wide, tall} = this.grid;
			const ratio = this.ratio;
			const context = this.base.getContext("2d");

			/* Setting the width also clears the canvas. */
			this.base.width = Math.round(wide * ratio);
			this.base.height = Math.round(tall * ratio);
			context.setTransform(ratio, 0, 0, ratio, 0, 0);
			context.font = "12px system-ui, \"DejaVu Sans\", sans-serif";
			context.imageSmoothingEnabled = cell * ratio < 1;
			context.drawImage(this.pixelsOf(shown), left, top, size, size);
			this.drawMissing(context, shown);
			this.drawNumbers(context, shown);
			this.drawBorders(context);
			this.drawAxes(context);
		}

		/* Call a function with the value of each place, i down and j across. */
		eachPlace({values}, take) {
			const n = this.n, places = this.places;

			for (let i = 0; i < n; i++) {
				for (let j = 0; j < n; j++)
					take(values[places[i] * n + places[j]], i, j);
			}
		}

		/* Make a canvas with one pixel for each cell. */
		pixelsOf(shown) {
			const n = this.n;
			const canvas = el("canvas");
			const image = new ImageData(n, n);
			const grey = rgb(colourOf("--missing").slice(1));

			this.eachPlace(shown, (value, i, j) => {
				image.data.set(Number.isNaN(value) ? grey
					: palette[shade(shown, value)], 4 * (i * n + j));
			});
			canvas.width = canvas.height = n;
			canvas.getContext("2d").putImageData(image, 0, 0);
			return canvas;
		}

		/* Draw a line through missing cells, except on the diagonal. */
		drawMissing(context, shown) {
			const {left, top, cell} = this.grid;

			if (cell < 6)
				return;
			context.strokeStyle = colourOf("--soft");
			context.lineWidth = 1;
			context.beginPath();
			this.eachPlace(shown, (value, i, j) => {
				if (i === j || !Number.isNaN(value))
					return;
				context.moveTo(left + j * cell + 2, top + (i + 1) * cell - 2);
				context.lineTo(left + (j + 1) * cell - 2, top + i * cell + 2);
			});
			context.stroke();
		}

		drawNumbers(context, shown) {
			const {left, top, cell} = this.grid;
			const text = (value) => value.toFixed(shown.decimals);
			let longest = 0;

			if (cell < 22)
				return;
			for (const value of shown.values) {
				if (!Number.isNaN(value))
					longest = Math.max(longest,
						context.measureText(text(value)).width);
			}
			if (longest > cell - 6)
				return;
			context.textAlign = "center";
			context.textBaseline = "middle";
			this.eachPlace(shown, (value, i, j) => {
				if (Number.isNaN(value))
					return;
				context.fillStyle = shade(shown, value) < words.black
					? "#fff" : "#000";
				context.fillText(text(value), left + (j + 0.5) * cell,
					top + (i + 0.5) * cell);
			});
		}

		drawBorders(context) {
			const {left, top, cell, size} = this.grid;
			const {borders} = this.order;

			/* Draw thin lines, so that small cells stay visible. */
			context.strokeStyle = cell < 8 ? "rgba(255,255,255,0.6)" : "#fff";
			for (let i = 1; i < this.n; i++) {
				const at = Math.round(i * cell * this.ratio) / this.ratio;

				if (borders[i] === "0")
					continue;
				context.lineWidth = borders[i] === "2" && cell >= 3 ? 2.5 : 1;
				context.beginPath();
				context.moveTo(left + at, top);
				context.lineTo(left + at, top + size);
				context.moveTo(left, top + at);
				context.lineTo(left + size, top + at);
				context.stroke();
			}
		}

		/*
		 * Return the step between labelled members, by the room for a
		 * label. If SMT siblings are adjacent, an even step would label
		 * only the first sibling of each core.
		 */
		everyFor(room) {
			const sorted = this.order.name !== "number";
			let every = 1;

			while (every * this.grid.cell < room && every < this.n)
				every *= 2;
			return every > 1 && sorted ? every + 1 : every;
		}

		drawAxes(context) {
			const {left, top, cell, size, digits} = this.grid;
			const down = this.everyFor(14), across = this.everyFor(
				7.5 * digits + 8);

			context.fillStyle = colourOf("--soft");
			context.textAlign = "right";
			context.textBaseline = "middle";
			for (let i = 0; i < this.n; i += down)
				context.fillText(this.members[this.places[i]], left - 5,
					top + (i + 0.5) * cell);
			context.textAlign = "center";
			context.textBaseline = "top";
			/* Keep the last label within the cells. */
			for (let i = 0; (i + 0.5) * cell + 3.75 * digits <= size + 2;
				i += across)
				context.fillText(this.members[this.places[i]],
					left + (i + 0.5) * cell, top + size + 5);
			context.fillText(this.record.column, left + size / 2,
				top + size + 22);
			context.save();
			context.translate(2, top + size / 2);
			context.rotate(-Math.PI / 2);
			context.fillText(this.record.row, 0, 0);
			context.restore();
		}

		/* Show the colours from low to high, and numbers below them. */
		showBar(shown) {
			const {low, high, ticks} = shown;
			const colours = el("div.colours", null, this.pointer);
			const shades = Array.from({length: 33}, (_, k) => "rgb(" +
				palette[shade(shown, low + (high - low) * k / 32)]
					.slice(0, 3) + ")");

			colours.style.background =
				"linear-gradient(to right," + shades + ")";
			this.bar.style.paddingLeft = this.grid.left + "px";
			this.bar.style.width = Math.max(this.grid.wide, 280) + "px";
			this.bar.hidden = ticks.length === 0;
			this.bar.replaceChildren(colours, el("div.ticks", null,
				...ticks.filter((_, k) => this.grid.size > 380 ||
					ticks.length < 5 || k % 2 === 0)
					.map((tick) => el("span", null, tick))));
		}

		/*
		 * Mark the cell, its labels, and its value on the bar; show the
		 * value beside the cell.
		 */
		markCell(shown) {
			const {left, top, cell, size, wide, tall, digits} = this.grid;
			const [a, b] = this.cell || [0, 0];
			const x = left + this.places.indexOf(b) * cell;
			const y = top + this.places.indexOf(a) * cell;
			const tag = 7.5 * digits + 8, middle = cell / 2;
			const value = shown.values[a * this.n + b];
			const at = Math.min(Math.max(
				(value - shown.low) / (shown.high - shown.low), 0), 1);
			/* A page for paper is as wide as the paper. */
			const part = (length, whole) => 100 * length / whole + "%";

			[[x, y, cell, cell], [left, y + middle, x - left, 0],
				[x + middle, y + cell, 0, top + size - y - cell],
				[left - 1 - tag, y + middle - 8, tag, 16],
				[x + middle - tag / 2, top + size + 3, tag, 16]].forEach(
				([left, top, width, height], k) => {
					const mark = this.marks[k];

					mark.hidden = !this.cell;
					Object.assign(mark.style, {left: part(left, wide),
						top: part(top, tall), width: part(width, wide),
						height: part(height, tall)});
				});
			this.marks[3].textContent = this.members[a];
			this.marks[4].textContent = this.members[b];
			this.pointer.hidden = !this.cell || Number.isNaN(value);
			this.pointer.style.left = 100 * at + "%";
			this.tip.textContent = !this.cell ? "" : this.members[a] + ", " +
				this.members[b] + ": " + this.textOf(shown);
			this.tip.style.left = x + cell < wide / 2
				? x + cell + 10 + "px" : "auto";
			this.tip.style.right = x + cell < wide / 2 ? "auto"
				: wide - x + 10 + "px";
			this.tip.style.top = Math.max(y - 34, 2) + "px";
		}

		/* -- the cell -- */

		listen() {
			const follow = (event) => {
				const box = this.map.getBoundingClientRect();
				const stretch = this.grid.wide / box.width;
				const {left, top, cell} = this.grid;
				const j = Math.floor(
					((event.clientX - box.left) * stretch - left) / cell);
				const i = Math.floor(
					((event.clientY - box.top) * stretch - top) / cell);

				if (i >= 0 && j >= 0 && i < this.n && j < this.n)
					this.pick(i, j);
			};

			this.map.addEventListener("pointermove", follow);
			this.map.addEventListener("pointerdown", follow);
			this.map.addEventListener("focus", () => {
				if (!this.cell)
					this.pick(0, this.n > 1 ? 1 : 0);
			});
			this.map.addEventListener("keydown", (event) => this.press(event));
		}

		press(event) {
			const last = this.n - 1;
			const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0],
				ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0],
				PageDown: [10, 0], Home: [0, -last], End: [0, last]};
			const move = moves[event.key];

			if (!move || !this.cell || event.ctrlKey || event.altKey ||
				event.metaKey)
				return;
			event.preventDefault();
			const within = (at) => Math.min(Math.max(at, 0), last);

			this.pick(within(this.places.indexOf(this.cell[0]) + move[0]),
				within(this.places.indexOf(this.cell[1]) + move[1]));
		}

		/* Choose a cell by its displayed row and column. */
		pick(i, j) {
			const cell = [this.places[i], this.places[j]];

			if (this.cell && cell[0] === this.cell[0] &&
				cell[1] === this.cell[1])
				return;
			this.set(cell);
			choose(this.key + ".cell",
				cell.map((at) => this.members[at]).join(","));
			for (const other of maps)
				other.follow(this);
		}

		set(cell) {
			this.cell = cell;
			if (this.wide)
				this.markCell(this.shown);
			this.tell();
		}

		/* Choose the same pair on another side. */
		follow(other) {
			if (other.side === this.side || other.command !== this.command)
				return;
			const cell = other.cell.map(
				(at) => this.members.indexOf(other.members[at]));

			if (cell.every((at) => at >= 0))
				this.set(cell);
		}

		/* Return the cell's value in a statistic, or NaN. */
		other(name, statistic) {
			const found = this.find(name, statistic);

			return found ? found.values[this.cell[0] * this.n + this.cell[1]]
				: NaN;
		}

		/* Return the lines about the cell: [label, text]. */
		lines() {
			const {name, statistic, unit} = this.shown.matrix;
			const values = (statistics) => statistics.map(
				(s) => [s, this.other(name, s)]).filter(
				([s, value]) => s !== statistic && !Number.isNaN(value));
			const numbers = (known, between) => known.map(
				([, value]) => number(value)).join(between) + " " + unit;
			const ends = values(["ci_low", "ci_high"]);
			const beside = values(["median", "min", "p10", "p90"]);

			return [
				...(ends.length === 2
					? [[this.record.interval, numbers(ends, " to ")]] : []),
				...(beside.length > 0 ? [[beside.map(([s]) => s).join(", "),
					numbers(beside, ", ")]] : []),
				["passes", this.passes(name)],
				...this.placesOf(...this.cell)];
		}

		passes(name) {
			const own = this.other(name, "passes");

			return Number.isNaN(own) ? this.now.passes : number(own);
		}

		/* Return what the topology and the levels say about a pair. */
		placesOf(a, b) {
			const {levels} = this.now, {topology} = this.record;
			const near = (all) => all.find(
				({group}) => group[a] === group[b]);
			const level = near(levels);

			return a === b ? [] : [
				...(topology.length > 0
					? [["topology", near(topology).name]] : []),
				...(levels.length > 0 ? [["measured", level
					? "one group of " + level.name
					: "in no group together"]] : [])];
		}

		/* Return the cell's value as text. */
		textOf({values, matrix}) {
			const [a, b] = this.cell;
			const value = values[a * this.n + b];

			return !Number.isNaN(value) ? number(value) + " " + matrix.unit
				: a === b ? "the same " + this.record.member : "missing";
		}

		tell() {
			if (!this.cell) {
				this.readout.replaceChildren(el("p.caption.hint", null,
					"Point at a cell, or focus the heatmap and use the " +
					"arrow keys, to see its values here."));
				return;
			}
			const shown = this.shown;
			const [a, b] = this.cell;
			const text = this.textOf(shown);
			const pair = this.record.row +
				(this.record.row === this.record.column
					? "s " + this.members[a] + " and "
					: " " + this.members[a] + ", " +
						this.record.column + " ") + this.members[b];
			const lines = this.lines();

			this.readout.replaceChildren(el("p", null, pair),
				el("div.value", null, text),
				el("p.caption", null, shown.name + ", " +
					shown.matrix.statistic + (this.phase > 0 ? " of epoch " + this.phase : "")),
				el("dl", null, ...[].concat(...lines.map(([label, said]) =>
					[el("dt", null, capital(label)), el("dd", null, said)]))));
			this.live.textContent = pair + ": " + text +
				lines.map(([label, said]) => "; " + label + ": " + said).join("");
		}

		/* Return all pairs, once each if both directions are equal. */
		pairs() {
			const {matrix: {name, symmetric}, values} = this.shown;
			const {row, column} = this.record;
			const drawn = [this.shown, ...this.now.matrices.filter(
				(other) => other.matrix.name === name &&
					other !== this.shown)].map(
				({matrix}) => this.find(name, matrix.statistic));
			const heads = [row, symmetric && row === column
				? "other " + column : column,
			...drawn.map(({matrix: {statistic, unit}}) => statistic +
				(unit === statistic ? "" : " [" + unit + "]")),
			...(this.record.topology.length > 0 ? ["topology"] : []),
			...(this.now.levels.length > 0 ? ["measured"] : [])];
			const rows = [];

			for (let a = 0; a < this.n; a++) {
				for (let b = symmetric ? a + 1 : 0; b < this.n; b++) {
					const at = a * this.n + b;

					if (a !== b || !Number.isNaN(values[at]))
						rows.push(Object.assign(heads.map(() => ""),
							[this.members[a], this.members[b],
								...drawn.map((other) => other.values[at]),
								...this.placesOf(a, b).map(
									([, text]) => text)]));
				}
			}
			return table(heads, rows);
		}
	}

	/* ---- curves ---- */

	/* A picture of curves by c2c, with the position of each value. */
	class Panel {
		constructor(panel, record, picture) {
			this.panel = panel;
			this.curves = panel.curves.map(({at, name, x}, i) => {
				const curve = record.curves[at];
				const take = (values) => x.map(
					(_, k) => orNaN(values && values[k]));

				return {at: i, label: name, x, spots: [],
					values: curve.x.names ? x : curve.x.values.map(orNaN),
					y: take(curve.median), low: take(curve.low),
					high: take(curve.high), ceiling: take(curve.ceiling)};
			});
			this.picture = picture;
			this.host = el("div.chart", {tabindex: "0"}, picture);
			this.element = el(panel.table ? "section.panel.wide"
				: "section.panel", null, el("h4", null, panel.title),
			this.host);
			this.addSpots();
			this.element.append(folded("Table", () => this.table()));
		}

		/* -- the point -- */

		addSpots() {
			for (const {dataset} of
				this.picture.querySelectorAll("[data-curve]"))
				this.curves[dataset.curve].spots = dataset.spots.split(",")
					.map((spot) => spot ? spot.split(" ").map(Number)
						: null);
			if (!this.curves.some((curve) => curve.spots.some(Boolean)))
				return;
			for (const [key, value] of Object.entries({
				role: "application", "aria-roledescription": "chart",
				"aria-label": this.panel.title + ". Arrow keys move along " +
					"a curve and to the next one; the values are read."}))
				this.host.setAttribute(key, value);
			this.ring = document.createElementNS(this.picture.namespaceURI,
				"circle");
			this.ring.setAttribute("class", "chosen");
			this.ring.setAttribute("r", 4);
			this.point = el("p.point", {"aria-live": "polite"});
			this.element.append(this.point);
			this.listen();
		}

		listen() {
			const follow = (event) => {
				const box = this.picture.getBoundingClientRect();
				const scale = this.picture.viewBox.baseVal.width / box.width;
				const px = (event.clientX - box.left) * scale;
				const py = (event.clientY - box.top) * scale;
				let best = Infinity;

				for (const curve of this.curves) {
					curve.spots.forEach((spot, i) => {
						const far = spot ? Math.hypot(spot[0] - px,
							spot[1] - py) : Infinity;

						if (far < best) {
							best = far;
							this.chosen = [curve, i];
						}
					});
				}
				this.mark();
			};

			this.host.addEventListener("pointermove", follow);
			this.host.addEventListener("pointerdown", follow);
			this.host.addEventListener("focus", () => {
				if (!this.chosen)
					this.step(0, 0);
			});
			this.host.addEventListener("keydown", (event) => {
				const moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1],
					ArrowUp: [-1, 0], ArrowDown: [1, 0]};

				if (!moves[event.key])
					return;
				event.preventDefault();
				this.step(...moves[event.key]);
			});
		}

		/* Move to the next curve, or the next point with a value. */
		step(curves, points) {
			const n = this.curves.length;
			let [curve, i] = this.chosen || [this.curves[0], 0];

			curve = this.curves[(curve.at + curves + n) % n];
			i = Math.min(Math.max(i + points, 0), curve.x.length - 1);
			while (points && i > 0 && i + 1 < curve.x.length &&
				!curve.spots[i])
				i += points;
			this.chosen = [curve, i];
			this.mark();
		}

		mark() {
			const [curve, i] = this.chosen;
			const known = (value) => !Number.isNaN(value);
			const y = known(curve.y[i]) ? curve.y[i] : curve.ceiling[i];
			const spot = curve.spots[i];

			this.ring.remove();
			if (spot) {
				this.ring.setAttribute("cx", spot[0]);
				this.ring.setAttribute("cy", spot[1]);
				this.picture.append(this.ring);
			}
			this.point.replaceChildren(
				curve.label + " at " + curve.x[i] + ": ",
			el("strong", null, known(y) ? number(y) + " " + this.panel.unit
				: "missing"),
			known(curve.low[i]) && known(curve.high[i])
				? "; 95 % interval " + number(curve.low[i]) + " to " +
					number(curve.high[i]) : "",
			known(curve.y[i]) && known(curve.ceiling[i])
				? "; ceiling " + number(curve.ceiling[i]) : "");
		}

		table() {
			const known = ["low", "high", "ceiling"].filter((key) =>
				this.curves.some((curve) => curve[key].some(
					(value) => !Number.isNaN(value))));
			const rows = [];

			for (const curve of this.curves)
				curve.values.forEach((x, i) => rows.push([curve.label, x,
					curve.y[i], ...known.map((key) => curve[key][i])]));
			return table(["curve", this.panel.x,
				this.panel.y + " [" + this.panel.unit + "]", ...known], rows);
		}
	}

	/* ---- the page ---- */

	/*
	 * Return the bytes of the record's file; without a file, the bytes that
	 * c2c would write.
	 */
	function bytesOf(id) {
		const file = document.getElementById(id + "-file");

		if (file)
			return Uint8Array.from(file.textContent.replace(/%(..)/g,
				(all, hex) => String.fromCharCode(parseInt(hex, 16))),
			(letter) => letter.charCodeAt(0));
		/* c2c wrote these escapes; its JSON has no other escapes. */
		return new TextEncoder().encode(
			document.getElementById(id).textContent.slice(1).replace(
				/\\(?:u(003[ce]|0026|007f|202[89]|fff[ef])|[^])/g,
				(all, hex) => hex ? String.fromCharCode(parseInt(hex, 16))
					: all));
	}

	function download(record) {
		if (record.partial)
			return "The record is too large for a page, which has only " +
				"medians, their intervals and numbers of passes.";
		const has = document.getElementById(record.record + "-file");
		const name = has || /\.json$/i.test(record.file) ? record.file
			: recordOf(record.record).command
				? recordOf(record.record).command + ".json" : "record.json";
		const link = el("a.download", {download: name, href: "#"},
			"Download the record");

		link.addEventListener("click", () => {
			if (!link.made) {
				link.made = URL.createObjectURL(
					new Blob([bytesOf(record.record)],
						{type: "application/octet-stream"}));
			}
			link.href = link.made;
		});
		return link;
	}

	function panelsOf(record) {
		const made = recordOf(record.record);
		const pictures = document.getElementById(record.record + "-panels");
		const main = record.panels.filter((panel) => !panel.detail);
		const more = record.panels.filter((panel) => panel.detail);
		const show = (panels) => el("div.panels", null,
			...panels.map((panel) => new Panel(panel, made,
				document.importNode(pictures.content.children[
					record.panels.indexOf(panel)], true)).element));
		const fold = (title, panels) => panels.length === 0 ? null
			: folded(title + panels.length + " more charts",
				() => show(panels));

		/* The figure of all records has one panel of each test. */
		if (document.getElementById("figure"))
			return [fold("Charts: ", main), fold("Details: ", more)];
		if (main.length === 0)
			return more.length === 0 ? [] : [show(more)];
		return [show(main), fold("Details: ", more)];
	}

	/* ---- a fleet ---- */

	function hostName(host) {
		return host.hostname || String(host.source);
	}

	/* A row for each host, with its distance at each level. */
	function hostsOf(kind) {
		const heads = ["host", "distance [%]", "change [%]"].concat(
			kind.levels.map((level) => level.name + " [%]"), ["file"]);

		return table(heads, kind.hosts.map((host) => [
			hostName(host), orNaN(host.distance_pct),
			orNaN(host.change_pct), ...host.off_pct.map(orNaN),
			String(host.source)]));
	}

	/* A level without a unit is a share. */
	function amountOf(level, value) {
		return orNaN(value) * (level.unit === null ? 100 : 1);
	}

	function levelsOf(kind) {
		return table(["level", "median", "unit", "hosts", "spread [%]",
			"an outlier is farther than [%]"],
		kind.levels.map((level) => [level.name,
			amountOf(level, level.median), level.unit || "%",
			level.hosts, orNaN(level.spread_pct),
			orNaN(level.limit_pct)]));
	}

	function outlierItem(host) {
		return el("section.found", null,
			el("h4", null, hostName(host)),
			el("p.file", null, String(host.source)),
			el("ul", null, ...host.reasons.map(
				(reason) => el("li", null, reason.text))));
	}

	function outliersOf(kind) {
		const odd = kind.hosts.filter((host) => host.outlier);

		if (odd.length > 0)
			return el("div.cards", null, ...odd.map(outlierItem));
		return el("p", null, kind.levels.some(
			(level) => level.limit_pct !== null) ? "No outliers."
			: "Fewer than four hosts besides the reference: none can be " +
				"called an outlier by its values.");
	}

	/* c2c's picture of the hosts around the median of a level. */
	function stripOf(kind, at, picture) {
		const level = kind.levels[at];
		const names = kind.hosts.map((host) => {
			const off = host.off_pct[at];

			return hostName(host) +
				(off === null ? "" : " (" + (off < 0 ? "" : "+") +
					off.toFixed(1) + " %)");
		});
		const median = kind.hosts.map(
			(host) => amountOf(level, host.values[at]));

		return new Panel({title: level.name, x: "host", y: "value",
			unit: level.unit || "%", curves: [{at: 0, name: "Host", x: names}]},
		{curves: [{x: {names}, median}]},
		picture).element;
	}

	/* Count each host once, even if several files are from it. */
	function countHosts(hosts) {
		return hosts.filter((host) => !host.same_host).length;
	}

	function hostsSaid(hosts) {
		const own = plural(countHosts(hosts), "host");

		return hosts.some((host) => host.same_host)
			? hosts.length + " files of " + own : own;
	}

	function kindElement(kind, at, several) {
		const name = kind.cpu_model || "CPUs of an unknown model";
		const title = el("h2", null, (several ? "Kind " + (at + 1) + ": " : "") +
			name + ", CPUs " + kind.members + ", " + hostsSaid(kind.hosts));

		if (kind.hosts.length === 1)
			return el("section.side", null, title,
				outlierItem(kind.hosts[0]));
		return el("section.side", null, title,
			el("h3", null, "Outliers"), outliersOf(kind),
			el("h3", null, "Levels"),
			el("div.panels", null, ...kind.levels.map((level, k) =>
				stripOf(kind, k, document.importNode(document
					.getElementById("kind-" + at).content
					.children[k], true)))),
			levelsOf(kind),
			...tableOf("h3", "Different from most hosts",
				["what", "most have", "some have", "hosts", "files"],
				kind.differences.map((one) => [one.what, one.most,
					one.value, one.files.length,
					one.files.join(", ")])),
			el("h3", null, "Hosts, the nearest to the first one first"),
			hostsOf(kind));
	}

	/* Make a table below its head; without rows, nothing. */
	function tableOf(tag, head, heads, rows) {
		return rows.length > 0 ? [el(tag, null, head), table(heads, rows)] : [];
	}

	function filesOf(head, list) {
		return tableOf("h2", head, ["file", "reason"], list.map(
			(one) => [String(one.source), String(one.reason)]));
	}

	function fleetElements() {
		const made = recordOf(words.fleet);
		const kinds = made.fleet.kinds;

		return [el("div.sides", null,
			...kinds.map((kind, at) => kindElement(kind, at, kinds.length > 1)),
			el("section.side", null,
				...undecidedElements(made),
				...filesOf("Cannot be compared with the reference",
					made.not_compared),
				...filesOf("Cannot be read", made.fleet.not_read),
				el("p.file", null, download(
					{record: words.fleet, file: "fleet.json"}))))];
	}

	function hostsInFleet() {
		return recordOf(words.fleet).fleet.kinds.reduce(
			(sum, kind) => sum + countHosts(kind.hosts), 0);
	}

	/* Describe undecided hosts in the words of c2c compare. */
	function undecidedElements(made) {
		const open = made.files.filter((file) => file.undecided !== null);

		return open.length === 0 ? [] : [el("p", null,
			"c2c has no verdict for " + open.length + " of " +
			(made.files.length + made.not_compared.length +
				made.fleet.not_read.length) +
			" files: c2c " + open[0].undecided + ".")];
	}

	/* The rows of a record, aligned with the rows of other sides. */
	const RECORD_ROWS = 5;
	const SIDE_ROWS = 1;

	/* The words on a side are below the picture of its first record. */
	function wordsOfSide(side) {
		return [wordsOf(side.answers, "Answers"),
			doubtsOf("Warnings about the machine",
				warningItems(side.records[0], side, true)),
			doubtsOf("Not measured",
				side.skipped.map((text) => el("li", null, text))),
			wordsOf(side.words, "What was found")];
	}

	function recordElement(record, side, at) {
		const made = recordOf(record.record);
		const map = record.phases.length > 0 ? new Heatmap(record, at) : null;
		const tool = made.tool && made.tool.version
			? ", by c2c " + made.tool.version : "";

		return el("article.record", null,
			el("div.title", null, el("h3", null, record.method),
				el("p.file", null, record.file + tool + (made.elapsed_s
					? ", " + made.elapsed_s.toFixed(1) + " s" : ""), " ",
				download(record))),
			el("div", null, map && map.element),
			el("div", null, ...(record === side.records[0]
				? wordsOfSide(side) : []), doubtsOf("Warnings of this run",
				record.doubts.map((text) => el("li", null, text)).concat(
					warningItems(record, side, false)))),
			el("div", null, wordsOf(record.words, "What was found")),
			el("div", null,
				map && folded("Table of pairs", () => map.pairs()),
				...panelsOf(record),
				folded("How it was measured", () => table(
					["option", "value"], facts(made.options, "").concat(
						facts(made.run, "run "))))));
	}

	function nameOfSide({records: [first]}) {
		return first.machine || first.file;
	}

	function sideElement(side, at) {
		const first = side.records[0];
		const made = recordOf(first.record);
		const machine = facts(made.machine, "");
		const twin = words.sides.some((other, k) => k !== at &&
			other.records[0].machine === first.machine);
		const element = el("section.side", null,
			el("div", null, el("h2", null, nameOfSide(side)),
				leadOf(side),
				twin ? el("p.file", null, first.file) : null,
				machine.length > 0
					? folded("The machine", () => table(["fact", "value"],
						machine)) : null),
			...side.records.map((record) => recordElement(record, side, at)));

		element.style.gridRow = "span " + (SIDE_ROWS + RECORD_ROWS *
			Math.max(...words.sides.map((other) => other.records.length)));
		return element;
	}

	function chosenTheme() {
		const theme = choices.get("theme");

		return ["light", "dark"].includes(theme) ? theme
			: matchMedia("(prefers-color-scheme: dark)").matches ? "dark"
				: "light";
	}

	function setTheme(theme = chosenTheme()) {
		document.documentElement.dataset.theme = theme;
		maps.forEach((map) => map.draw());
	}

	function themeButton() {
		const button = el("button", {type: "button"}, "Theme");

		button.addEventListener("click", () => {
			choose("theme", chosenTheme() === "dark" ? "light" : "dark");
			setTheme();
		});
		return el("div.tools", null, button);
	}

	function build() {
		const sides = words.sides || [];
		const names = new Set(sides.map(nameOfSide));
		const figure = document.getElementById("figure");
		const head = words.fleet ? "a fleet of " +
			plural(hostsInFleet(), "host")
			: sides.length > 1 ? sides.length + " sides, beside each other"
				: "how the parts of this machine reach each other";

		document.title = "c2c: " + (words.fleet ? head
			: [...names].join(" and "));
		document.getElementById("page").append(
			el("header.top", null, el("h1", null, "c2c: " + head),
				themeButton()),
			...(words.fleet ? fleetElements() : [
				el("div.figure", null, figure &&
					document.importNode(figure.content, true)),
				el("div", null, wordsOf(words.changes, "What changed")),
				el(sides.length > 1 ? "div.sides.several" : "div.sides", null,
					...sides.map(sideElement))]),
			el("footer", null, "Self-contained: this page loads nothing. " +
				"The part of the address after # keeps your view."));
	}

	function begin() {
		setTheme();
		build();
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
			() => setTheme());
		/* The reader has edited the address. */
		addEventListener("hashchange", () => location.reload());
		addEventListener("beforeprint", () => {
			document.querySelectorAll(".doubts").forEach((doubts) => {
				doubts.open = true;
			});
			setTheme("light");
		});
		addEventListener("afterprint", () => setTheme());
	}

	begin();
}());
//]]>
