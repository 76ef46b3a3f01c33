import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ContextResult, ProposedContext, RoleSelection } from './pdu.ts'

/** What the acceptor supports for a SOP class. */
export interface Offer {
  /** In order of preference. */
  readonly transferSyntaxes: readonly string[]
  /**
   * Whether the requestor may also be the SCP, as storage commitment results require (PS3.4 J.3.3).
   */
  readonly acceptsScpRole: boolean
}

/** A presentation context accepted by both sides. */
export interface AcceptedContext {
  readonly id: number
  readonly abstractSyntax: string
  readonly transferSyntax: string
}

export interface Negotiation {
  /** One result for each proposed context, in the same order. */
  readonly results: readonly ContextResult[]
  readonly accepted: ReadonlyMap<number, AcceptedContext>
  /** Responses to the roles proposed for accepted SOP classes. */
  readonly roles: readonly RoleSelection[]
}

/**
 * PS3.8 §7.1.1.13 and PS3.7 D.3.3.4. Chooses the first transfer syntax in the acceptor's order of
 * preference, because the order of the proposal has no significance.
 */
export function negotiate(
  proposed: readonly ProposedContext[],
  roles: readonly RoleSelection[],
  offerOf: (abstractSyntax: string) => Offer | undefined,
): Negotiation {
  const accepted = new Map<number, AcceptedContext>()
  const results = proposed.map(({ id, abstractSyntax, transferSyntaxes }): ContextResult => {
    const offer = offerOf(abstractSyntax)
    // PS3.8 §9.3.3.2.1: a rejected context has a transfer syntax, which is not significant.
    if (!offer) return { id, result: 3, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian }
    const transferSyntax = offer.transferSyntaxes.find((uid) => transferSyntaxes.includes(uid))
    if (!transferSyntax)
      return { id, result: 4, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian }
    accepted.set(id, { id, abstractSyntax, transferSyntax })
    return { id, result: 0, transferSyntax }
  })
  const acceptedSyntaxes = new Set(
    [...accepted.values()].map(({ abstractSyntax }) => abstractSyntax),
  )
  return {
    results,
    accepted,
    roles: roles
      .filter(({ sopClass }) => acceptedSyntaxes.has(sopClass))
      .map(({ sopClass, scu, scp }) => ({
        sopClass,
        scu,
        scp: scp && offerOf(sopClass)?.acceptsScpRole === true,
      })),
  }
}
