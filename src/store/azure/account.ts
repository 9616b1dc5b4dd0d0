/** What the environment and the options of an address say of a storage account, as for Pulumi's own state backend. */
export interface AzureAccount {
  readonly account: string | undefined;
  /** The URL of its blobs. */
  readonly url: string;
  readonly key: string | undefined;
  /** The query of a shared access signature. */
  readonly sas: string | undefined;
}

export function azureAccount(options: URLSearchParams, environment = process.env): AzureAccount {
  const connection = new Map(
    (environment.AZURE_STORAGE_CONNECTION_STRING ?? "").split(";").map((each) => {
      const [name = "", ...value] = each.split("=");
      return [name.trim(), value.join("=")];
    }),
  );
  const [ofEnvironment, ofConnection] = [environment.AZURE_STORAGE_ACCOUNT || undefined, connection.get("AccountName")];
  const account = options.get("storage_account") ?? ofEnvironment ?? ofConnection;
  const isConnected = account === ofConnection;
  const suffix = isConnected ? connection.get("EndpointSuffix") : undefined;
  const domain = (options.get("domain") ?? environment.AZURE_STORAGE_DOMAIN) || `blob.${suffix ?? "core.windows.net"}`;
  const isEmulator = options.get("localemu") === "true" || /^(?:127\.0\.0\.1|localhost)(?::|$)/.test(domain);
  const protocol = options.get("protocol") ?? (isEmulator ? "http" : "https");
  const url = `${protocol}://${isEmulator ? `${domain}/${account}` : `${account}.${domain}`}`;
  const ofDomain = isConnected && !options.has("domain") ? connection.get("BlobEndpoint") : undefined;
  // A key is for the account beside it.
  const isOurs = ofEnvironment === undefined ? !isConnected : ofEnvironment === account;
  const [key, sas] = (["AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"] as const).map((name) =>
    isOurs ? environment[name] || undefined : undefined,
  );
  const isOpen = key === undefined && sas === undefined && isConnected;
  return {
    account,
    url: (ofDomain || url).replace(/\/$/, ""),
    key: isOpen ? connection.get("AccountKey") : key,
    sas: (key === undefined ? (isOpen ? connection.get("SharedAccessSignature") : sas) : undefined)?.replace(/^\?/, ""),
  };
}
