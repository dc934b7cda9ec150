# Drives Debian's chromium without a window, for tests of pages. Its protocol is
# JSON that ends in a zero byte, through two pipes (--remote-debugging-pipe).
# Starting takes longer than a case: the cases of a file share one, and each has
# a context of its own, which shares nothing with others.
# shellcheck shell=bash

# Start it, and remember its process in the folder at hand. It opens both pipes
# to read and write: no case that ends closes them.
browser_launch()
{
	mkdir profile
	mkfifo to from
	# Its sandbox refuses root, and shared memory may be small in a container.
	TMPDIR=$PWD chromium --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --no-first-run \
		--user-data-dir="$PWD/profile" --remote-debugging-pipe \
		3<>to 4<>from >browser.log 2>&1 &
	echo $! >pid
}

# An empty page, in the browser of this file.
browser_start()
{
	browser_folder=$BATS_FILE_TMPDIR/browser
	if [ ! -d "$browser_folder" ]; then
		mkdir "$browser_folder"
		# It is no job of this case, which would end it.
		(cd "$browser_folder" && browser_launch)
	fi
	exec {browser_to}<>"$browser_folder/to" \
		{browser_from}<>"$browser_folder/from"
	browser_id=0 browser_session=
	browser_call Target.createBrowserContext
	browser_context=$(jq -r .result.browserContextId <<<"$answer")
	browser_call Target.createTarget "{\"url\": \"about:blank\",
		\"browserContextId\": \"$browser_context\"}"
	browser_call Target.attachToTarget "$(jq -c \
		'{targetId: .result.targetId, flatten: true}' <<<"$answer")"
	browser_session=$(jq -r .result.sessionId <<<"$answer")
	: >events
	browser_call Runtime.enable
	browser_call Log.enable
	browser_call Network.enable
	browser_call Page.enable
}

# The case has ended. After one that failed, the next starts another browser.
browser_stop()
{
	[ -n "${browser_session-}" ] || return 0
	browser_session=
	if [ "${BATS_TEST_COMPLETED-}" != 1 ] || ! browser_call \
		Target.disposeBrowserContext \
		"{\"browserContextId\": \"$browser_context\"}"; then
		browser_quit
	fi
	exec {browser_to}>&- {browser_from}>&-
}

browser_quit()
{
	local pid folder=$BATS_FILE_TMPDIR/browser
	[ -d "$folder" ] || return 0
	pid=$(<"$folder/pid")
	kill "$pid" 2>/dev/null || true
	gone "$pid" || kill -KILL "$pid" 2>/dev/null || true
	# What it started may write there until it ends, too.
	for _ in {1..100}; do
		! rm -rf "$folder" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
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
	cat "$browser_folder/browser.log"
	return 1
}

# quoted TEXT: as a string of JSON, in $json. A start of jq takes longer than
# the browser does to answer.
quoted()
{
	json=${1//\\/\\\\}
	json=${json//\"/\\\"}
	json=${json//$'\n'/\\n}
	json=\"${json//$'\t'/\\t}\"
}

# evaluate EXPRESSION: the script of the page does, and $answer has its value.
evaluate()
{
	local json
	quoted "$1"
	browser_call Runtime.evaluate "{\"expression\":$json,
		\"returnByValue\":true,\"awaitPromise\":true}" || return
	[[ $answer != *'"exceptionDetails":'* ]] || {
		echo "$1: $answer"
		return 1
	}
}

# value EXPRESSION: what the script of the page makes of it, as text.
value()
{
	evaluate "$1" || return
	if [[ $answer =~ ^[^\\]*\"type\":\"(string|number|boolean)\",\"value\":(\"([^\"\\]*)\"|([a-z0-9]+))[,}] ]]; then
		printf '%s\n' "${BASH_REMATCH[3]}${BASH_REMATCH[4]}"
	else
		jq -r '.result.result.value' <<<"$answer"
	fi
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
	evaluate 'new Promise((done) => requestAnimationFrame(() =>
		requestAnimationFrame(() => done(1))))'
}

# browse FILE [CHOICES]: open a page, with what stands behind # in its address.
browse()
{
	local tries=0 json
	browser_call Page.navigate '{"url": "about:blank"}'
	quoted "file://$PWD/$1${2:+#$2}"
	browser_call Page.navigate "{\"url\":$json}"
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
