import type { Properties } from "../engine/serialization";
import type { Replaced } from "../resources/resource";
import { holdsUnknown, madeOnce } from "../values/plain";

/** What a process knows of one resource. */
interface SeenResource {
  /**
   * The program of this command declares it: whether it gives the resource a value that this preview does not know.
   * Absent if it does not declare it.
   */
  givesUnknown?: boolean;
  /** Whether this command has an instance that stays, or is still to make one in place of what the state has. */
  instance?: "there" | "toMake";
  /** The instance that the engine has shown, which a create may replace. */
  replaced?: Replaced;
  /** The arguments after the previous check, for a diff that needs them. */
  previous?: Properties;
}

/** What a process knows of the resources that the engine has named. The first check of a process has no URN. */
export class SeenResources {
  private readonly byUrn = new Map<string | undefined, SeenResource>();
  /** The resource of a first check without a URN, as soon as a diff or a write names it. */
  private first: string | undefined;
  private isAnyDeclared = false;

  of(urn: string | undefined): SeenResource {
    return madeOnce(this.byUrn, urn, () => ({}));
  }

  /**
   * Notes that the program declares this resource. The first check of a process has no URN, so it can be any resource.
   * @param isNew whether the engine shows no earlier arguments: it will make an instance
   */
  noteChecked(urn: string | undefined, args: object, isNew: boolean): void {
    const seen = this.of(urn);
    this.isAnyDeclared = true;
    seen.givesUnknown = seen.givesUnknown === true || holdsUnknown(args);
    if (isNew) {
      seen.instance = "toMake";
    }
  }

  /** Notes that an instance of this resource stays, or was made. */
  noteThere(urn: string | undefined): void {
    this.of(urn).instance = "there";
  }

  /** Notes that the engine asks for a diff or a write of this resource, which follow its check. */
  noteNamed(urn: string | undefined): void {
    if (this.isDeclared(undefined) && !this.isDeclared(urn)) {
      this.first ??= urn;
    }
  }

  /**
   * Whether the engine asks which dependents it must replace, and not what the program has changed. It asks before it
   * deletes a resource first: the diff gets the arguments of the state, with unknown values in place of those that come
   * from the deleted resource.
   */
  isDiffOfDependent(urn: string | undefined, args: object): boolean {
    const mayBeGiven = urn === undefined ? [...this.byUrn.values()] : [this.of(urn), this.of(undefined)];
    return holdsUnknown(args) && !mayBeGiven.some(({ givesUnknown }) => givesUnknown);
  }

  /** Whether the program has declared this resource in this run. Earlier calls come from a refresh. */
  isChecked(urn: string | undefined): boolean {
    return this.isDeclared(urn) || this.isDeclared(undefined);
  }

  /** Whether the program of this command declares resources, and not this one. A destroy runs no program. */
  isRemoved(urn: string | undefined): boolean {
    return this.isAnyDeclared && !this.isDeclared(urn) && urn !== this.first;
  }

  /** The other instance of a resource that is deleted. */
  instanceOf(urn: string | undefined): SeenResource["instance"] {
    return this.of(urn).instance ?? (this.first === undefined ? this.of(undefined).instance : undefined);
  }

  private isDeclared(urn: string | undefined): boolean {
    return this.of(urn).givesUnknown !== undefined;
  }
}
