import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ContextResult, ExtendedNegotiation, ProposedContext, RoleSelection } from './pdu.ts'

/** What the acceptor supports for a SOP class. */
export interface Offer {
  /** In order of preference. */
  readonly transferSyntaxes: readonly string[]
  /**
   * The requestor may be the SCP if one of these SOP classes is accepted too: it then receives what
   * it asks for on the same association (PS3.4 C.5.3.1). False: never.
   */
  readonly acceptsScpRole: false | readonly string[]
  /**
   * What a requestor as the SCP is sent if it proposes one of these first, although our preference
   * is another (decision 0055).
   */
  readonly scpCompressions?: () => readonly string[]
  /**
   * Answers the options that the requestor proposes for the SOP class (PS3.7 D.3.3.5); without it
   * they are ignored.
   */
  readonly negotiateOptions?: (proposed: Buffer) => Buffer
}

/** A presentation context accepted by both sides. */
export interface AcceptedContext {
  readonly id: number
  readonly abstractSyntax: string
  readonly transferSyntax: string
  /** The options of the SOP class that both sides agreed on, if they were negotiated. */
  readonly options?: Buffer | undefined
}

/** The accepted contexts on which the requestor is the SCP (PS3.7 D.3.3.4). */
export const scpContexts = ({ accepted, roles }: Negotiation): AcceptedContext[] => {
  const sopClasses = new Set(roles.flatMap(({ sopClass, scp }) => (scp ? [sopClass] : [])))
  return [...accepted.values()].filter(({ abstractSyntax }) => sopClasses.has(abstractSyntax))
}

export interface Negotiation {
  /** One result for each proposed context, in the same order. */
  readonly results: readonly ContextResult[]
  readonly accepted: ReadonlyMap<number, AcceptedContext>
  /** Responses to the roles proposed for accepted SOP classes. */
  readonly roles: readonly RoleSelection[]
  /** Responses to the options proposed for accepted SOP classes. */
  readonly extended: readonly ExtendedNegotiation[]
}

/**
 * PS3.8 §7.1.1.13 and PS3.7 D.3.3.4. Chooses the first transfer syntax in the acceptor's order of
 * preference, because the order of the proposal has no significance; except that a requestor that
 * wants to receive and names a compression first receives that (decision 0055).
 */
export function negotiate(
  proposed: readonly ProposedContext[],
  roles: readonly RoleSelection[],
  offerOf: (abstractSyntax: string) => Offer | undefined,
  options: readonly ExtendedNegotiation[] = [],
): Negotiation {
  const extended = options.flatMap(({ sopClass, information }): ExtendedNegotiation[] => {
    const answer = offerOf(sopClass)?.negotiateOptions?.(information)
    return answer ? [{ sopClass, information: answer }] : []
  })
  const extendedInformationOf = (uid: string) =>
    extended.find(({ sopClass }) => sopClass === uid)?.information
  const compressionFor = (offer: Offer, abstractSyntax: string, [first]: readonly string[]) => {
    const proposesScp = roles.some(({ sopClass, scp }) => scp && sopClass === abstractSyntax)
    return proposesScp && first !== undefined && offer.scpCompressions?.().includes(first)
      ? first
      : undefined
  }
  const accepted = new Map<number, AcceptedContext>()
  const results = proposed.map(({ id, abstractSyntax, transferSyntaxes }): ContextResult => {
    const offer = offerOf(abstractSyntax)
    // PS3.8 §9.3.3.2.1: a rejected context has a transfer syntax, which is not significant.
    if (!offer) return { id, result: 3, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian }
    const transferSyntax =
      compressionFor(offer, abstractSyntax, transferSyntaxes) ??
      offer.transferSyntaxes.find((uid) => transferSyntaxes.includes(uid))
    if (!transferSyntax)
      return { id, result: 4, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian }
    accepted.set(id, {
      id,
      abstractSyntax,
      transferSyntax,
      options: extendedInformationOf(abstractSyntax),
    })
    return { id, result: 0, transferSyntax }
  })
  const acceptedSyntaxes = new Set(
    [...accepted.values()].map(({ abstractSyntax }) => abstractSyntax),
  )
  const acceptsScpRole = (sopClass: string): boolean =>
    (offerOf(sopClass)?.acceptsScpRole || []).some((uid) => acceptedSyntaxes.has(uid))
  return {
    results,
    accepted,
    extended: extended.filter(({ sopClass }) => acceptedSyntaxes.has(sopClass)),
    roles: roles
      .filter(({ sopClass }) => acceptedSyntaxes.has(sopClass))
      .map(({ sopClass, scu, scp }) => ({ sopClass, scu, scp: scp && acceptsScpRole(sopClass) })),
  }
}
