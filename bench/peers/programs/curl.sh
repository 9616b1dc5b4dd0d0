#!/usr/bin/env bash
# Makes and configures tasks with curl and jq, as a careful CI job does.
#
#   curl.sh apply     copies each task of declared.json that has no id in ids.tsv, then sends the settings of all tasks
#   curl.sh destroy   removes the rows of the tasks in ids.tsv, then the file
#
# BASE and TOKEN are the address and the access token of the service. declared.json has the template and the tasks with
# their settings. The job must keep ids.tsv: without it, the next run copies all tasks again.
set -euo pipefail

at_once=8

main() {
  command=${1:-}
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # In a file, because every user of the machine can read the arguments of a process.
  (umask 077 && printf 'Authorization: Bearer %s\n' "$TOKEN" >"$work/headers")
  export BASE work
  export -f apply_task remove_rows request
  touch ids.tsv
  case $command in
    apply)
      copy_query=$(jq --raw-output '.template | "taskId=\(.sourceTaskId | @uri)&taskGroupId=\(.taskGroupId | @uri)"' declared.json)
      export copy_query
      # One line for each task: name, id or "-", body with the properties, body with the loop. @json has no tab and no line break.
      jq --raw-output --rawfile ids ids.tsv '
        ($ids | split("\n") | map(select(. != "") | split("\t") | {(.[0]): .[1]}) | add // {}) as $known
        | .tasks[] | [.name, $known[.name] // "-", (.properties | @json), (.loop | @json)] | join("\t")
      ' declared.json | in_parallel apply_task
      ;;
    destroy)
      cut --fields 2 ids.tsv | in_parallel remove_rows
      rm ids.tsv
      ;;
    *)
      echo "usage: curl.sh apply|destroy" >&2
      exit 2
      ;;
  esac
}

# Calls the function with each line of the input. Fails if one call fails, after all others.
in_parallel() {
  xargs --no-run-if-empty --delimiter '\n' --max-args 1 --max-procs "$at_once" bash -euo pipefail -c "$1 \"\$1\"" "$1"
}

apply_task() {
  local name id properties loop
  IFS=$'\t' read -r name id properties loop <<<"$1"
  if [[ $id == - ]]; then
    id=$(request "copy $name" "/task/copy?$copy_query" "" | jq --exit-status --raw-output .data.taskId)
    # At once, so that a run which is stopped later does not copy this task again. One short write to the end is whole.
    printf '%s\t%s\n' "$name" "$id" >>ids.tsv
  fi
  # The bodies are objects without a task.
  request "properties of $name" /task/updateActionProperties "{\"taskId\":\"$id\",${properties#\{}" >/dev/null
  request "loop of $name" /task/updateLoopItems "{\"taskId\":\"$id\",${loop#\{}" >/dev/null
}

remove_rows() {
  request "rows of $1" /data/remove "{\"taskId\":\"$1\"}" >/dev/null
}

# Sends a POST and writes the response: request WHAT PATH BODY. Repeats only a request that the service refused because of
# its rate limit: any other failed copy may have made a task.
request() {
  local attempt status response body=()
  response=$work/response-$BASHPID
  [[ $3 == "" ]] || body=(--header "Content-Type: application/json" --data-binary @-)
  for attempt in {1..30}; do
    status=$(curl --silent --show-error --max-time 60 --request POST --header "@$work/headers" "${body[@]}" \
      --output "$response" --write-out '%{http_code}' "$BASE$2" <<<"$3") || true
    [[ $status == 429 ]] || break
    sleep 1
  done
  if [[ $status != 200 ]]; then
    echo "$1: status code $status after attempt $attempt: $(head --bytes 500 "$response" 2>/dev/null || true)" >&2
    return 1
  fi
  echo "$(<"$response")"
}

main "$@"
