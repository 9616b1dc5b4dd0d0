// Gets a first token of a service that takes a user name and a password. The contract has no such request.
// It prints what credentialCommand wants, or with --refresh-token what "webextract token import" reads.
const [address = "", option] = process.argv.slice(2);
const { LOGIN_USER: username, LOGIN_PASSWORD: password } = process.env;

try {
  if (!username || !password) {
    throw new Error("LOGIN_USER and LOGIN_PASSWORD must be set");
  }
  if (!URL.canParse(address)) {
    throw new Error("the first argument must be the address of the service");
  }
  const response = await fetch(`${address.replace(/\/+$/, "")}/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password, grant_type: "password" }),
    // A redirect would lead the password elsewhere.
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  });
  const body = await response.json().catch(() => ({}));
  const { access_token, refresh_token, expires_in } = body.data ?? body;
  if (!response.ok || !access_token || !refresh_token) {
    const { status } = response;
    const code = String(body.error?.code ?? body.error ?? "no error code").replaceAll(password, "***");
    const isPath = status === 404 || status === 405 || body.error === undefined || code === "NotFound";
    const check = isPath
      ? "Check the address, with the whole path in front of /token."
      : "Check LOGIN_USER and LOGIN_PASSWORD, and that the service takes a password here.";
    throw new Error(`the service refused the login, and gave no token: ${status} ${code}. ${check}`);
  }
  const expires = new Date(Date.now() + Number(expires_in) * 1000);
  const credential = { Version: 1, AccessToken: access_token, Expiration: expires.toISOString() };
  console.log(option === "--refresh-token" ? refresh_token : JSON.stringify(credential));
} catch (error) {
  console.error(`login: ${error.cause ? `${error.cause.message}. Check the address.` : error.message}`);
  process.exitCode = 1;
}
