# A record whose words would be markup, if a page took them for that.
"</script><img src=x onerror=alert(1)>]]>\u2028&amp;<!--" as $bad |
.machine.hostname = $bad | .machine.cpu_model = $bad |
.run.warnings = [$bad] | .machine.warnings = [{what: $bad, remedy: $bad}] |
.options.method = $bad | .tool.version = $bad |
(.curves[]? | .test, .member, .family, .y.unit, .x.name) |= $bad
