#!/usr/bin/env bash
# moto 5.2.5 (PyPI), a server that imitates Amazon S3.
#
# Seen: CompleteMultipartUpload honours "If-None-Match: *" (412 if there is an object), and ignores "If-Match": with an ETag that the object does not
# have, it responds 200 and replaces the object. PutObject honours both. A test against moto cannot show that a program overwrites an object which somebody
# else has changed during a multipart upload.
#
# Needs python3 with venv, and curl. Exits with 0 as long as moto behaves like this.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "moto[server,s3]==5.2.5"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/moto_server" -H 127.0.0.1 -p "$port" > "$folder/log" 2>&1 &
server=$!
store="http://127.0.0.1:$port"
# moto wants a signature, and does not compare it.
signed() { curl --silent --header 'Content-Type: application/xml' --user key:secret --aws-sigv4 aws:amz:us-east-1:s3 "$@"; }
signed --output /dev/null --retry 300 --retry-delay 1 --retry-connrefused --request PUT "$store/bucket"

status() { signed --output /dev/null --write-out '%{http_code}' "$@"; }
put() { status --request PUT --data theirs "$store/bucket/key" "$@"; }
complete() {
  local id etag
  id=$(signed --request POST "$store/bucket/key?uploads" | sed -n 's/.*<UploadId>\(.*\)<\/UploadId>.*/\1/p')
  etag=$(signed --dump-header - --output /dev/null --request PUT --data ours "$store/bucket/key?partNumber=1&uploadId=$id" |
    tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
  status --request POST --header "$1" "$store/bucket/key?uploadId=$id" \
    --data "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>$etag</ETag></Part></CompleteMultipartUpload>"
}
other='If-Match: "0123456789abcdef0123456789abcdef"'
put > /dev/null
seen="PutObject If-None-Match $(put --header 'If-None-Match: *'), If-Match $(put --header "$other"); "
seen+="CompleteMultipartUpload If-None-Match $(complete 'If-None-Match: *'), If-Match $(complete "$other"); "
seen+="the object is $(signed "$store/bucket/key")"
echo "$seen"
test "$seen" = "PutObject If-None-Match 412, If-Match 412; CompleteMultipartUpload If-None-Match 412, If-Match 200; the object is ours"
