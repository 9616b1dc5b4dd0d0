import type { ServiceClient } from "../../src/service/client";
import { messageOf } from "../../src/values/errors";
import { CliError } from "./exitCodes";
import type { Terminal } from "./terminal";

const lostRefresh =
  "The command was ended before it received the response to a token refresh. The refresh token may be used up, and the new tokens are lost. " +
  'If the next command is refused, import a newly issued refresh token with "webextract token import".';

/** What a command uses to do its work. */
export class CommandContext {
  /** What a forced end says while a request that must not be sent twice is in progress: it may take effect. */
  startWords: string | undefined;
  /** What a forced end says about what the command has made. */
  leftWords: string | undefined;
  private readonly clients: ServiceClient[] = [];

  constructor(
    readonly terminal: Terminal,
    /** Aborted by Ctrl-C, by a SIGTERM, and when nobody reads the result any more. */
    readonly interrupted: AbortSignal,
  ) {}

  /** What a forced end says now about a request whose outcome is unknown. */
  get lastWords(): string | undefined {
    return this.startWords ?? (this.clients.some(({ isRefreshing }) => isRefreshing) ? lostRefresh : undefined);
  }

  /** To be called with each client. It ends with the command. */
  noteClient(client: ServiceClient): void {
    this.clients.push(client);
  }

  /**
   * Asks before something is written or replaced.
   * @param yes the option with this name
   * @throws CliError if the answer is no, or there is nobody to ask
   */
  async confirm(question: string, yes: boolean | undefined, otherwise: string): Promise<void> {
    if (yes !== true && !(await this.terminal.confirm(question, this.interrupted))) {
      throw new CliError(otherwise);
    }
  }

  /**
   * For commands that would otherwise go on after Ctrl-C, or report as if they had done all of their work.
   * @throws CliError after Ctrl-C
   */
  checkInterrupted(what: string): void {
    if (this.interrupted.aborted) {
      throw new CliError(`Interrupted. ${what}`, "interrupted");
    }
  }

  /** Waits for a refresh in progress, whether it fails or not. */
  async tokensSettled(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.tokensSettled()));
  }

  /**
   * To be called at the end. Waits for a refresh in progress: its response can hold the only valid refresh token.
   * @returns the messages of refresh tokens that are lost now
   */
  async close(): Promise<string[]> {
    const lost: string[] = [];
    await this.tokensSettled();
    for (const client of this.clients) {
      try {
        client.close();
      } catch (error) {
        lost.push(messageOf(error));
      }
    }
    return lost;
  }
}
