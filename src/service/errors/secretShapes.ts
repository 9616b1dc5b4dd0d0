/**
 * The shapes of secrets: how credentials look that are not known. Adopted files, reports of plans and foreign text in
 * messages hide the same ones. It is a guess, so the credentials in use are also hidden as they are, see `Redactor`.
 */

const hidden = "[secret]";

/** The text without the parts that look like secrets. Takes linear time. */
export function hideSecrets(text: string): string {
  const found = [...shapesIn(text), ...namedValuesIn(text)].sort(([one], [other]) => one - other);
  let shown = "";
  let at = 0;
  for (const [begin, end] of found) {
    if (end > at) {
      // A second secret that begins within the first one extends it.
      shown += begin < at ? "" : text.slice(at, begin) + hidden;
      at = end;
    }
  }
  return shown + text.slice(at);
}

/** Whether the value of a property with this name is or contains a secret. */
export function mayBeSecret(name: string, value: string): boolean {
  const says = isSecretName(name) && value.trim() !== "" && !/^(?:true|false|null|none|undefined)$/i.test(value.trim());
  return says || hideSecrets(value) !== value;
}

type Range = readonly [begin: number, end: number];

/** Secrets that look like nothing else. The first group, if there is one, is the part that is hidden. */
const shapes = [
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----END)[^-]*)*/g,
  // Keys of AWS, JSON Web Tokens, and tokens of services with a prefix of their own.
  /(?<![\w-])(?:AKIA|ASIA)[A-Z\d]{16}(?![\w-])/g,
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  /(?<![\w-])(?:gh[opsru]_[A-Za-z\d]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|npm_[A-Za-z\d]{30,})/g,
  /(?<![\w-])(?:[prs]k_(?:live|test)_[A-Za-z\d]{16,}|AIza[\w-]{35}|sk-[\w-]{32,}|SG\.[\w-]{16,}\.[\w-]{16,}|pul-[a-f\d]{40})/g,
  /(?<![\w-])hf_[A-Za-z\d]{30,}/g,
  /(?<=\/\/hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{20,}/g,
  /(?<=\/bot)\d{4,20}:[\w-]{30,}/g,
  // The lines of a key of PuTTY, and the user of a command line, as of curl.
  /Private-Lines: \d{1,4}(?:\s|\\[nr]){1,4}([A-Za-z\d+/=\\\s]{8,})/g,
  /(?<=\s(?:-u|--user|--proxy-user) )[^\s:"']{1,100}:[^\s"']{1,200}/g,
  // The credential of a header is long, or has a digit, a padding or a capital within it. Other words after "Basic" are
  // text.
  /(?<![\w-])(?:[Bb]earer|[Bb]asic|[Nn]egotiate|BEARER|BASIC|NTLM)\s{1,8}((?=[\w.~+/-]{0,200}(?:\d|=|[a-z][A-Z])|\w{20})[\w.~+/-]{6,}=*)/g,
  // User and password of an address; of a proxy also without a scheme, or as the last two of four fields.
  /:\/\/([^\s/?#"'<>\\]+)@/g,
  /(?<![\w.~%!$+:/@-])([\w.~%!$+-]{1,100}:[\w.~%!$+-]{1,200})@[\w.-]{1,200}:\d/g,
  /(?<![\w.:/@-])[\w-]{1,60}(?:\.[\w-]{1,60}){1,8}:\d{2,5}:([^\s:/@"'<>]{1,200}:[^\s:/@"'<>]{1,200})/g,
];

function shapesIn(text: string): Range[] {
  return shapes.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ index, 0: whole, 1: part = whole }): Range => {
      const begin = index + whole.indexOf(part);
      return [begin, begin + part.length];
    }),
  );
}

/**
 * A name, as in JSON, in a header, in a form, in the tag of XML, in the query of an address, or in a file of settings,
 * up to its value.
 */
const nameAndSign = /(?<![\w.%-])([\w.%-]{1,64})(?:\\{0,8}["']?[ \t]{0,8}[:=][ \t]{0,8}|>)/g;

/** The values whose names say that they are secret. */
function namedValuesIn(text: string): Range[] {
  let done = 0;
  return [...text.matchAll(nameAndSign)].flatMap(({ index, 0: before, 1: name = "" }): Range[] => {
    if (index < done) {
      return [];
    }
    const isParameter = /[?&#]/.test(text[index - 1] ?? "") && isSecretParameter(name);
    if (!isParameter && !isSecretName(name)) {
      return [];
    }
    const begin = index + before.length;
    // Only the beginning: looking for the end at each name could take quadratic time.
    if (isNoSecret(text.slice(begin, begin + longestWords), before.endsWith(" "))) {
      return [];
    }
    done = endOfValue(text, begin, isHeader(name));
    return [[begin, done]];
  });
}

/** The index after a value in quotes, or after a word; after the line, if the value is that of a header. */
function endOfValue(text: string, begin: number, isLine: boolean): number {
  const opening = /^(\\{0,8})(["'])/.exec(text.slice(begin, begin + 9));
  if (opening === null) {
    const rest = isLine ? /["'\r\n]/g : /[\s&;,"'<>(){}[\]|`]/g;
    rest.lastIndex = begin;
    return rest.exec(text)?.index ?? text.length;
  }
  const [marks, backslashes = "", quote = ""] = opening;
  let at = text.indexOf(quote, begin + marks.length);
  while (at >= 0 && backslashesBefore(text, at) % 2 !== backslashes.length % 2) {
    at = text.indexOf(quote, at + 1);
  }
  return at < 0 ? text.length : at + 1;
}

function backslashesBefore(text: string, at: number): number {
  let begin = at;
  while (text[begin - 1] === "\\") {
    begin -= 1;
  }
  return at - begin;
}

const longestWords = 80;

/** Whether a value is empty, a map, a list, a variable, a literal, or, after a space, the first word of a sentence. */
function isNoSecret(beginning: string, isAfterSpace: boolean): boolean {
  return (
    /^(?:\\{0,8}["']|(?!\\{0,8}["']))[ \t]*(?:$|\\{0,8}["']|[\r\n&;,<>(){}[\]|`]|\$\{|(?:true|false|null|none|undefined)(?![\w-]))/i.test(
      beginning,
    ) ||
    (isAfterSpace && /^(?!bearer|basic|token|digest)[a-z]+,? [a-z]+\b(?![=:])/i.test(beginning))
  );
}

const headers = ["authorization", "cookie", "setcookie", "proxyauthorization"];

function isHeader(name: string): boolean {
  return headers.includes(lettersOf(name));
}

const secretWords = ["password", "passwort", "passwd", "pwd", "passphrase", "secret", "token", "authorization"];
const secretPairs = ["apikey", "accesskey", "privatekey", "secretkey", "authkey"];
/** A property such as PasswordSelector says where something is, not what it is. */
const places = [
  ...["selector", "xpath", "field", "name", "id", "column", "type", "index", "label", "length"],
  ...["element", "css", "path"],
  ...["url", "endpoint", "policy", "hint"],
];
/** The token of a page is none of a person. */
const harmlessTokens = ["pagetoken", "nexttoken", "synctoken", "continuationtoken", "canceltoken"];

/** Whether a name says where something is, not what it is. */
export function saysWhere(name: string): boolean {
  return places.includes(wordsOf(name).at(-1) ?? "");
}

/** Whether a name says that its value is a secret. */
function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  // The cookies of a session, such as JSESSIONID, PHPSESSID and ASP.NET_SessionId.
  if (/sess(?:ion)?id$/.test(words.join(""))) {
    return true;
  }
  if (saysWhere(name) || harmlessTokens.some((each) => words.join("").endsWith(each))) {
    return false;
  }
  // Within a name, "pass" is mostly something else, as in FirstPass.
  return (
    words.join() === "pass" ||
    words.some((word, index) => {
      const pair = `${word}${words[index + 1] ?? ""}`;
      const isWhole = secretWords.includes(word) || ["cookie", "cookies", "credentials"].includes(word);
      // Words can stand together without a border, as in "userpassword".
      return isWhole || [...secretWords, ...secretPairs].some((secret) => pair === secret || word.endsWith(secret));
    })
  );
}

function wordsOf(name: string): string[] {
  return decoded(name)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}

/** Names in the query of an address that are too short to be secret elsewhere. */
function isSecretParameter(name: string): boolean {
  return ["signature", "sig", "auth", "key", "sid", "xamzsignature", "xamzcredential"].includes(lettersOf(name));
}

function lettersOf(name: string): string {
  return decoded(name)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
}

/** Names in an address can be in percent-encoding. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
