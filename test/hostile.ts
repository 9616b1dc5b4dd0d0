// biome-ignore-all lint/suspicious/noTemplateCurlyInString: one value looks like a template

import { isLarge } from "./environment";

/**
 * Strings that strangers could write: services, pages, rows, file names, commands. Every place that prints, writes a name, or builds a path or a
 * key is tested with all of them. Each group is a map from what the string is to the string.
 */

type Group = Readonly<Record<string, string>>;

const esc = "\u001b";
/** Length of the long strings: a megabyte costs every test that shows it a second. */
const long = isLarge ? 1024 * 1024 : 128 * 1024;

/** Would lead a path out of its folder, to a device, or to a name that some system does not accept. */
export const hostilePaths: Group = {
  "the folder above": "..",
  "this folder": ".",
  "a path out of the folder": "../../../../tmp/escaped",
  "a path out of the folder, with backslashes": "..\\..\\escaped",
  "an absolute path": "/tmp/escaped",
  "a path of Windows": "C:\\Windows\\escaped",
  "a share of Windows": "\\\\server\\share\\escaped",
  "a device": "/dev/stdout",
  "a device of Windows": "NUL",
  "a file of the process": "/proc/self/environ",
  "a home folder": "~/.ssh/authorized_keys",
  "an address of a file": "file:///etc/passwd",
  "a path in percent-encoding": "%2e%2e%2f%2e%2e%2fescaped",
  "a zero byte": "safe\u0000.csv",
  "a hidden name": ".npmrc",
  "a name with a dot at the end": "name.",
  "a name like an option": "--output=/tmp/escaped",
  "characters that Windows refuses": 'a:b*c?d"e<f>g|h',
  "a long name": "n".repeat(300),
  "a long name of characters with three bytes": "東".repeat(100),
  "a long name of characters with four bytes": "🙂".repeat(80),
  "a name with a letter in two forms": "caf\u00e9 cafe\u0301",
};

/** Would change what a terminal shows, or forge a line of a log. */
export const hostileTerminal: Group = {
  "a colour": `${esc}[31mred${esc}[0m`,
  "a cleared screen": `${esc}[2J${esc}[1;1H`,
  "a moved cursor": `good${esc}[1A${esc}[2Kforged`,
  "a title": `${esc}]0;forged\u0007`,
  "a hyperlink": `${esc}]8;;https://evil.test/${esc}\\here${esc}]8;;${esc}\\`,
  "the clipboard": `${esc}]52;c;ZXZpbA==\u0007`,
  "a device control string": `${esc}P+q544e${esc}\\`,
  "control characters of C1": "a\u009b31mred\u009b0m\u0085next\u0090x\u009c",
  "a line break": "first\nerror: forged",
  "a line break of Windows": "first\r\nerror: forged",
  "a carriage return": "error: real\rwarning: forged",
  "a vertical tab and a form feed": "a\u000berror: forged\u000cerror: forged",
  "line and paragraph separators": "a\u2028error: forged\u2029error: forged",
  backspaces: "evil\b\b\b\bgood",
  "a bell": "\u0007\u0007",
  "a zero byte": "a\u0000b",
  "a delete character": "a\u007fb",
  "text from right to left": "user\u202etxt.exe",
  isolates: "\u2066\u2067admin\u2069\u2069",
  "marks of direction": "a\u200e\u200f\u061cb",
  "invisible characters": "a\u200b\u200c\u200d\u2060\ufeffb",
  "characters of tags": "a\u{e0041}\u{e0042}b",
  "many combining marks": `a${"\u0301".repeat(200)}`,
};

/** Would be commands of a CI system where they begin a line of its log. */
export const hostileCi: Group = {
  "a command of GitHub Actions": "::error file=app.ts,line=1::forged",
  "a mask of GitHub Actions": "::add-mask::e",
  "a stop of commands of GitHub Actions": "::stop-commands::forged",
  "an earlier command of GitHub Actions": "##[error]forged",
  "a command of Azure Pipelines": "##vso[task.setvariable variable=PATH]forged",
  "a command of TeamCity": "##teamcity[buildStatus text='forged']",
  "a command on a second line": "first\n::error::forged",
  "an earlier command on a second line": "first\n##[error]forged",
  "a command after a carriage return": "first\r::error::forged",
  "a command after a line separator": "first\u2028::error::forged",
  "a command after a colour": `${esc}[0m::error::forged`,
  "a command after a space": "  ::error::forged",
  "a section of GitLab": `section_start:0:forged\r${esc}[0KForged`,
};

/** Would be markup, a link, a mention or an image in Markdown, or code in HTML. */
export const hostileMarkdown: Group = {
  "a link": "[click](https://evil.test/)",
  "a link by reference": "[click][1]\n\n[1]: https://evil.test/",
  "an image": "![](https://evil.test/pixel.png)",
  "an address": "https://evil.test/",
  "an address without a scheme": "www.evil.test/path",
  "an address of a mailbox": "someone@evil.test",
  "an address to write to": "mailto:someone@evil.test",
  "an address of a chat": "xmpp:someone@evil.test/room",
  "an address in brackets": "<https://evil.test/>",
  "an address of FTP": "ftp://evil.test/",
  "an address in capitals": "HTTPS://EVIL.TEST/ WWW.EVIL.TEST",
  "a mention": "@octocat",
  "a mention of a team": "@github/support",
  "an issue": "#1 GH-1 octo/repo#1",
  "a commit": "0123456789abcdef0123456789abcdef01234567",
  "an emoji": ":rocket:",
  code: "`code` ``code`` ```code```",
  "the end of code": "`</code>`` <b>bold</b>",
  "the end of a code block": "```\n# Heading\n",
  "the end of a cell": "a | b | c",
  "the end of a cell after a backslash": "a \\| b \\\\| c",
  "a new row": "a |\n| forged | row |",
  emphasis: "*a* **b** _c_ __d__ ~~e~~",
  "a heading": "# Heading",
  "a quote": "> [!CAUTION]\n> forged",
  "a list with a box": "- [x] done",
  "a rule": "\n\n---\n\n",
  "a footnote": "a[^1]\n\n[^1]: forged",
  "a formula of Markdown": "$`x`$ $$x$$",
  HTML: '<script>alert(1)</script><img src=x onerror="alert(1)">',
  "a comment of HTML": "<!-- hidden",
  "details of HTML": "</td></tr></table><details open><summary>forged</summary>",
  "an entity": "&lt;b&gt; &#x40;octocat &commat;octocat",
  backslashes: "\\`\\*\\_\\",
  "spaces at the ends": "  spaces  ",
};

/** Would be a formula in a spreadsheet. */
export const hostileFormulas: Group = {
  "a formula": '=HYPERLINK("https://evil.test/";"click")',
  "a command": "=cmd|' /C calc'!A0",
  "a formula with a plus": "+1+1",
  "a formula with a minus": "-1+1",
  "a formula with an at": "@SUM(1;1)",
  "a formula after a tab": "\t=1+1",
  "a formula after a carriage return": "\r=1+1",
  "a formula after a space": " =1+1",
  "a quotation mark, a comma and a line break": '"a",\r\n"=1+1',
};

/** Would be special in code: patterns of replacements, names of prototypes, templates, formats, shells, YAML. */
export const hostileCode: Group = {
  "the match of a replacement": "$&",
  "the text around a replacement": "$`$'",
  "dollars of a replacement": "$$$1$<n>",
  "the prototype": "__proto__",
  "the constructor": "constructor",
  "a method of objects": "toString",
  "another method of objects": "hasOwnProperty",
  "a property of functions": "prototype",
  "a method that promises have": "then",
  "a template": "${HOME}${1+1}",
  placeholders: "{lotNo}{time}{n}%s%d%o{{x}}",
  "a shell": "$(touch escaped); `touch escaped` | touch escaped & touch escaped",
  "a quote of a shell": `'"'"'; touch escaped; '`,
  SQL: "'; DROP TABLE rows; --",
  YAML: "a: &a [*a, !!js/function 'x']\n--- #\n...",
  JSON: '{"$ref":"#"}',
  "a regular expression": "(a+)+$[",
  "a glob": "**/*[a-z]{a,b}*a*a*a",
  "a word for nothing": "null",
  "a word for a boolean of YAML": "no",
  "a number that is no double": "1e400",
  "a number with a zero in front": "012",
  nothing: "",
  "a space": " ",
};

/** Is no well-formed text. */
export const hostileUnicode: Group = {
  "a half of a pair": "a\ud800b",
  "the other half of a pair": "a\udc00b",
  "a half of a pair at the end": "a\ud83d",
  "halves in the wrong order": "\udc00\ud800",
  "a character that does not exist": "\uffff\ufffe\u{10ffff}",
  "the replacement character": "\ufffd",
  "a byte order mark": "\ufefftext",
};

/** Would use up memory or time. */
export const hostileSizes: Group = {
  "a long text of a letter": "a".repeat(long),
  "a long text of lines": "::error::forged\n".repeat(long / 16),
  "a long text of escape sequences": `${esc}[31m`.repeat(long / 5),
  "a long text of spaces": `a${" ".repeat(long)}b`,
  "a long text of brackets": "[".repeat(long),
  "a long text of backticks": "`".repeat(long),
  "a long text of dollars": "$&".repeat(long / 2),
};

/** Everything but the long strings, which take too long where each string costs a process. */
export const hostileStrings: readonly { what: string; text: string }[] = [
  hostilePaths,
  hostileTerminal,
  hostileCi,
  hostileMarkdown,
  hostileFormulas,
  hostileCode,
  hostileUnicode,
].flatMap((group) => Object.entries(group).map(([what, text]) => ({ what, text })));

/** All strings, the long ones too. */
export const allHostileStrings: readonly { what: string; text: string }[] = [
  ...hostileStrings,
  ...Object.entries(hostileSizes).map(([what, text]) => ({ what, text })),
];

/** A value with a secret, the name of its property if that is what tells, and the part that must not be shown. */
export interface SecretValue {
  name?: string;
  value: string;
  secret: string;
}

const inBase64 = (text: string): string => Buffer.from(text).toString("base64url");
const jwt = `${inBase64('{"alg":"HS256"}')}.${inBase64('{"sub":"1234567890"}')}.${"dBjftJeZ4CVPmB92K27uhbUJU1p1r"}`;
const keyLines = "MIIEowIBAAKCAQEAhiddenhiddenhidden";
const pem = (kind: string): string => `-----BEGIN ${kind}-----\n${keyLines}\n-----END ${kind}-----`;

/** Values that contain secrets. None is in use anywhere. */
export const secretValues: Readonly<Record<string, SecretValue>> = {
  "a bearer token": { value: "Bearer hidden-token-1234", secret: "hidden-token-1234" },
  "a header with a bearer token": { value: "Authorization: Bearer hidden-1234", secret: "hidden-1234" },
  "several headers": {
    value: "Accept: */*\nauthorization: bearer hidden-1234\nX-Other: 1",
    secret: "hidden-1234",
  },
  "a header with a password": { value: "Authorization: Basic dXNlcjpoaWRkZW4=", secret: "dXNlcjpoaWRkZW4=" },
  "a header of a proxy": { value: "Proxy-Authorization: Basic dXNlcjpoaWRkZW4=", secret: "dXNlcjpoaWRkZW4=" },
  "a header with a key": { value: "X-Api-Key: hidden1234", secret: "hidden1234" },
  "a header with cookies": { value: "Cookie: session=hidden1234; theme=dark", secret: "hidden1234" },
  "a header that sets a cookie": { value: "Set-Cookie: sid=hidden1234; Path=/", secret: "hidden1234" },
  "headers in JSON": { value: '{"Authorization": "Token hidden1234"}', secret: "hidden1234" },
  "a command with a header": { value: 'curl -H "Authorization: Bearer hidden1234" x.test', secret: "hidden1234" },
  "a private key": { value: pem("RSA PRIVATE KEY"), secret: keyLines },
  "a private key of PKCS 8": { value: pem("PRIVATE KEY"), secret: keyLines },
  "an encrypted private key": { value: pem("ENCRYPTED PRIVATE KEY"), secret: keyLines },
  "a private key of OpenSSH": { value: pem("OPENSSH PRIVATE KEY"), secret: keyLines },
  "a private key of PGP": { value: pem("PGP PRIVATE KEY BLOCK"), secret: keyLines },
  "a private key in one line": { value: pem("EC PRIVATE KEY").replaceAll("\n", "\\n"), secret: keyLines },
  "a key of AWS": { value: "AKIAIOSFODNN7EXAMPLE", secret: "AKIAIOSFODNN7EXAMPLE" },
  "a temporary key of AWS": { value: "key ASIAIOSFODNN7EXAMPLE.", secret: "ASIAIOSFODNN7EXAMPLE" },
  "a secret key of AWS": {
    value: "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  },
  "a JWT": { value: jwt, secret: jwt },
  "a JWT in a text": { value: `the token is ${jwt}, use it`, secret: jwt },
  "a token of GitHub": { value: `ghp_${"hidden1234".repeat(4)}`, secret: "hidden1234" },
  "a fine-grained token of GitHub": { value: `github_pat_${"hidden1234_".repeat(4)}`, secret: "hidden1234" },
  "a token of GitLab": { value: `glpat-${"hidden1234".repeat(2)}`, secret: "hidden1234" },
  "a token of Slack": { value: `xoxb-${"1234567890-".repeat(2)}hidden1234`, secret: "hidden1234" },
  "a token of npm": { value: `npm_${"hidden".repeat(6)}`, secret: "hidden" },
  "a key of Stripe": { value: `sk_live_${"hidden1234".repeat(3)}`, secret: "hidden1234" },
  "a key of Google": { value: `AIza${"hidden1234".repeat(4).slice(0, 35)}`, secret: "hidden1234" },
  "a key of OpenAI": { value: `sk-proj-${"hidden1234".repeat(4)}`, secret: "hidden1234" },
  "a key of SendGrid": { value: `SG.${"hidden1234".repeat(2)}.${"hidden1234".repeat(4)}`, secret: "hidden1234" },
  "a token of Pulumi": { value: `pul-${"0123456789abcdef".repeat(2)}01234567`, secret: "0123456789abcdef" },
  "an address with a password": { value: "https://user:hidden@shop.test/", secret: "hidden" },
  "an address with a password that contains @": { value: "https://user:p@hidden@shop.test/", secret: "hidden" },
  "an address with a user name alone": { value: "https://hidden1234@shop.test/", secret: "hidden1234" },
  "an address of a proxy": { value: "http://user:hidden@proxy.test:8080", secret: "hidden" },
  "an address of a SOCKS proxy": { value: "socks5://user:hidden@proxy.test:1080", secret: "hidden" },
  "a proxy without a scheme": { value: "user:hidden@proxy.test:8080", secret: "hidden" },
  "a proxy as four fields": { value: "10.0.0.1:8080:user:hidden", secret: "hidden" },
  "a proxy by its name as four fields": { value: "proxy.test:8080:user:hidden", secret: "hidden" },
  "an address of a database": { value: "postgres://admin:hidden@db.test/rows", secret: "hidden" },
  "an address with a token": { value: "https://shop.test/?page=1&access_token=hidden", secret: "hidden" },
  "an address with an encoded name of a parameter": { value: "https://shop.test/?api%5Fkey=hidden", secret: "hidden" },
  "an address with a signature": { value: "https://s3.test/x?X-Amz-Signature=hidden1234", secret: "hidden1234" },
  "an address with a token after the hash": { value: "https://shop.test/#access_token=hidden", secret: "hidden" },
  "a path with a token": { value: "/login?token=hidden1234", secret: "hidden1234" },
  "an address in a text": { value: "open <https://u:hidden@shop.test/> first", secret: "hidden" },
  "JSON with a password": { value: '{"user": "a", "password": "hidden"}', secret: "hidden" },
  "JSON with a nested key": { value: '{"a": [{"apiKey": "hidden"}]}', secret: "hidden" },
  "JSON with a number": { value: '{"password": 12345678}', secret: "12345678" },
  "JSON in JSON": { value: JSON.stringify({ body: '{"client_secret": "hidden"}' }), secret: "hidden" },
  "a form with a password": { value: "user=a&password=hidden&x=1", secret: "hidden" },
  "a setting with a password": { value: "password: hidden", secret: "hidden" },
  "a setting with a password after others": { value: "Server=db;User Id=a;Pwd=hidden;", secret: "hidden" },
  "a variable": { value: "export API_KEY=hidden1234", secret: "hidden1234" },
  "a header of Kerberos": { value: "WWW-Authenticate: Negotiate YIIJhidden1234567890", secret: "YIIJhidden1234567890" },
  "a key of PuTTY": { value: "PuTTY-User-Key-File-3: x\nPrivate-Lines: 1\nAAAAhidden1234=", secret: "AAAAhidden1234" },
  "a token of Hugging Face": { value: `hf_${"hidden1234".repeat(4)}`, secret: "hidden1234" },
  "a webhook of Slack": { value: "https://hooks.slack.com/services/T0000/B0000/hidden123456", secret: "hidden123456" },
  "an address of a bot of Telegram": {
    value: `https://api.telegram.org/bot123456:${"hidden1234".repeat(4)}/sendMessage`,
    secret: "hidden1234",
  },
  "a command with a user": { value: "curl -s -u user:hidden https://shop.test/", secret: "hidden" },
  "XML with a password": { value: "<login><user>a</user><password>hidden</password></login>", secret: "hidden" },
  "JSON with a short name of a password": { value: '{"auth": {"user": "a", "pass": "hidden"}}', secret: "hidden" },
  "a cookie of a session": { value: "JSESSIONID=hidden1234; Path=/", secret: "hidden1234" },
  "a cookie of a session in two words": { value: "ASP.NET_SessionId=hidden1234", secret: "hidden1234" },
  "a property named PassPhrase": { name: "PassPhrase", value: "hidden", secret: "hidden" },
  "a property named Credentials": { name: "Credentials", value: "hidden", secret: "hidden" },
  "a property with a telling name in German": { name: "Passwort", value: "hidden", secret: "hidden" },
  "a property with a telling name": { name: "Password", value: "hidden", secret: "hidden" },
  "a property with a telling name and odd characters": { name: "Password", value: "{hidden", secret: "hidden" },
  "a property with a telling name in words": { name: "proxy_password", value: "hidden", secret: "hidden" },
  "a property with a telling name of two words": { name: "X-Api-Key", value: "hidden", secret: "hidden" },
  "a property with a telling name in capitals": { name: "SECRETKEY", value: "hidden", secret: "hidden" },
  "a property with a telling name without borders": { name: "userpassword", value: "hidden", secret: "hidden" },
  "a property with the name of a header": { name: "Cookie", value: "sid=hidden", secret: "hidden" },
};

/** Values that look a little like secrets, and must be shown. */
export const harmlessValues: readonly { name?: string; value: string }[] = [
  { value: "https://shop.test/list?page=2&sort=price" },
  { value: "https://shop.test/?pageToken=3" },
  { value: "https://shop.test/?author=bearer" },
  { value: "https://shop.test:8080/a:b@c" },
  { value: "https://shop.test/@user/status/1" },
  { value: "https://shop.test/reset-password" },
  { value: "https://shop.test/token/list?q=password" },
  { value: "https://shop.test/?token=" },
  { value: "//div[@id='password']/input" },
  { value: "//input[@name='token']" },
  { value: "#password" },
  { value: "input[type=password]" },
  { value: "input[name=password]" },
  { value: ".login .password-field" },
  { value: "someone@shop.test" },
  { value: "The bearer of this ticket" },
  { value: "Basic plan" },
  { value: "Basic" },
  { value: "Forgot your password?" },
  { value: "Enter the password" },
  { value: "Password:" },
  { value: "Authorization" },
  { value: "12:30:45" },
  { value: "12:30:45:99" },
  { value: "2024-01-01T10:00:00Z" },
  { value: "10.0.0.1:8080" },
  { value: "proxy.test:8080" },
  { value: "::1" },
  { value: "eyes" },
  { value: "eyJ.a.b" },
  { value: "sk-1234" },
  { value: "AKIA" },
  { value: "AKIAN and others" },
  { value: "skill_level" },
  { value: "550e8400-e29b-41d4-a716-446655440000" },
  { value: "0123456789abcdef0123456789abcdef01234567" },
  { value: "a".repeat(64) },
  { value: "-----BEGIN CERTIFICATE-----" },
  { value: "-----BEGIN PUBLIC KEY-----" },
  { value: '{"user": "a", "passwordField": "#pw"}' },
  { value: '{"password": ""}' },
  { value: '{"token": null}' },
  { value: "user=a&tokenType=x" },
  { value: "token=" },
  { value: "Cookie policy" },
  { value: "no-cookie" },
  { value: "Accept: text/html" },
  { value: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36" },
  { value: "true" },
  { value: "" },
  { value: "token: must be a string" },
  { value: "The password: at least 8 characters" },
  { value: '{"token": {"type": "x"}}' },
  { name: "PasswordSelector", value: "#pw" },
  { name: "TokenXPath", value: "//input" },
  { name: "password_field", value: "pw" },
  { name: "CookieName", value: "sid" },
  { name: "Tokenizer", value: "words" },
  { name: "secretary", value: "Ms Smith" },
  { name: "Password", value: "" },
  { name: "MaxTokens", value: "100" },
  { name: "UseCookies", value: "true" },
  { name: "ClearCookies", value: "false" },
  { name: "Keyboard", value: "x" },
  { name: "Keyword", value: "shoes" },
  { name: "FirstPass", value: "3" },
  { value: "<label>Password</label>" },
  { value: "a > b" },
  { value: "https://shop.test/robot12345:abc" },
  { value: "curl -u" },
  { value: "ul.password > li" },
  { name: "Author", value: "Jane Austen" },
];
