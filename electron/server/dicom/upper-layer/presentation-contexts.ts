import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ContextResult, ProposedContext, RoleSelection } from './pdu.ts'

/** What the acceptor can do with a SOP class. */
export interface Offer {
  /** In our order of preference. */
  readonly transferSyntaxes: readonly string[]
  /** The requestor may be the SCP too, as storage commitment results need (PS3.4 J.3.3). */
  readonly acceptsScpRole: boolean
}

/** A presentation context both sides agreed on. */
export interface AcceptedContext {
  readonly id: number
  readonly abstractSyntax: string
  readonly transferSyntax: string
}

export interface Negotiation {
  /** One for each proposed context, in the same order. */
  readonly results: readonly ContextResult[]
  readonly accepted: ReadonlyMap<number, AcceptedContext>
  /** Answers to the roles that were proposed for a SOP class we accepted. */
  readonly roles: readonly RoleSelection[]
}

/**
 * PS3.8 §7.1.1.13 and PS3.7 D.3.3.4. The transfer syntax is the first of ours that is proposed, not
 * the first proposed: the order of a proposal means nothing.
 */
export function negotiate(
  proposed: readonly ProposedContext[],
  roles: readonly RoleSelection[],
  offerOf: (abstractSyntax: string) => Offer | undefined,
): Negotiation {
  const accepted = new Map<number, AcceptedContext>()
  const results = proposed.map(({ id, abstractSyntax, transferSyntaxes }): ContextResult => {
    const offer = offerOf(abstractSyntax)
    // A rejected context still has a transfer syntax, of no significance (PS3.8 §9.3.3.2.1).
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
