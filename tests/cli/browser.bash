# Drives Debian's chromium without a window, for tests of pages. Its protocol is
# JSON that ends in a zero byte, through two pipes (--remote-debugging-pipe).
# shellcheck shell=bash

# Start it with an empty page, in the folder at hand.
browser_start()
{
	mkdir profile
	mkfifo to from
	# Its sandbox refuses root, and shared memory may be small in a container.
	chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--no-first-run --user-data-dir="$PWD/profile" \
		--remote-debugging-pipe 3<to 4>from >browser.log 2>&1 &
	browser=$!
	exec {browser_to}>to {browser_from}<from
	browser_id=0 browser_session=
	: >events
	browser_call Target.createTarget '{"url": "about:blank"}'
	browser_call Target.attachToTarget "$(jq -c \
		'{targetId: .result.targetId, flatten: true}' <<<"$answer")"
	browser_session=$(jq -r .result.sessionId <<<"$answer")
	browser_call Runtime.enable
	browser_call Log.enable
	browser_call Network.enable
	browser_call Page.enable
}

browser_stop()
{
	[ -n "${browser-}" ] || return 0
	kill "$browser" 2>/dev/null || true
	wait "$browser" 2>/dev/null || true
	exec {browser_to}>&- {browser_from}<&-
	browser=
}

# browser_call METHOD [PARAMETERS]: its answer is in $answer. What the browser
# tells meanwhile goes to the file events.
browser_call()
{
	local id=$((++browser_id)) message
	message="{\"id\":$id,\"method\":\"$1\",\"params\":${2:-"{}"}"
	[ -z "$browser_session" ] ||
		message+=",\"sessionId\":\"$browser_session\""
	printf '%s}\0' "$message" >&"$browser_to"
	while IFS= read -r -d '' -t 120 -u "$browser_from" answer; do
		if [[ $answer == "{\"id\":$id,"* ]]; then
			[[ $answer != "{\"id\":$id,\"error\""* ]] || {
				echo "$1: $answer"
				return 1
			}
			return 0
		fi
		printf '%s\n' "$answer" >>events
	done
	echo "no answer to $1"
	cat browser.log
	return 1
}

# value EXPRESSION: what the script of the page makes of it, as text.
value()
{
	browser_call Runtime.evaluate "$(jq -nc --arg e "$1" \
		'{expression: $e, returnByValue: true, awaitPromise: true}')" ||
		return
	jq -e '.result.exceptionDetails | not' <<<"$answer" >/dev/null || {
		echo "$1: $answer"
		return 1
	}
	jq -r '.result.result.value' <<<"$answer"
}

# becomes EXPRESSION TEXT: a busy machine may take its time until it is so.
becomes()
{
	local tries=0 found
	until found=$(value "$1") && [ "$found" = "$2" ]; do
		[ $((++tries)) -lt 300 ] || {
			echo "$1: $found"
			return 1
		}
		sleep 0.1
	done
}

# The page has been drawn as it stands.
settle()
{
	value 'new Promise((done) => requestAnimationFrame(() =>
		requestAnimationFrame(() => done(1))))' >/dev/null
}

# browse FILE [CHOICES]: open a page, with what stands behind # in its address.
browse()
{
	local tries=0
	browser_call Page.navigate '{"url": "about:blank"}'
	browser_call Page.navigate \
		"$(jq -nc --arg url "file://$PWD/$1${2:+#$2}" '{url: $url}')"
	until [ "$(value 'document.readyState + " " + location.protocol')" = \
		"complete file:" ]; do
		[ $((++tries)) -lt 600 ] || return 1
		sleep 0.1
	done
	settle
}

# screen WIDTH HEIGHT: the size of the window; below 500 that of a telephone.
screen()
{
	local telephone=false
	[ "$1" -ge 500 ] || telephone=true
	browser_call Emulation.setDeviceMetricsOverride \
		"{\"width\": $1, \"height\": $2, \"deviceScaleFactor\": 1,
		\"mobile\": $telephone}"
	settle
}

# The pointer, in pixels of the window.
point_at()
{
	browser_call Input.dispatchMouseEvent \
		"{\"type\": \"mouseMoved\", \"x\": $1, \"y\": $2}"
	settle
}

# press KEY...
press()
{
	local key
	for key; do
		browser_call Input.dispatchKeyEvent \
			"{\"type\": \"keyDown\", \"key\": \"$key\"}"
		browser_call Input.dispatchKeyEvent \
			"{\"type\": \"keyUp\", \"key\": \"$key\"}"
	done
	settle
}

# The browser had no error to tell, and loaded only files that the test opened.
browser_content()
{
	browser_call Runtime.evaluate '{"expression": "1"}'
	! grep -E '"method":"(Runtime.exceptionThrown|Runtime.consoleAPICalled|Log.entryAdded)"' \
		events || return 1
	! grep '"method":"Network.requestWillBeSent"' events |
		jq -r .params.request.url | grep -vE '^(file|about|blob):' || return 1
}
