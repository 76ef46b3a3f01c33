/**
 * The seven PDUs of PS3.8 §9.3 as plain values. AE titles and UIDs are trimmed; unknown items are
 * dropped.
 */
export type Pdu = AssociateRq | AssociateAc | AssociateRj | PDataTf | ReleaseRq | ReleaseRp | Abort

/** PDU types of PS3.8 §9.3.1. */
export const PDU_TYPE = {
  'A-ASSOCIATE-RQ': 0x01,
  'A-ASSOCIATE-AC': 0x02,
  'A-ASSOCIATE-RJ': 0x03,
  'P-DATA-TF': 0x04,
  'A-RELEASE-RQ': 0x05,
  'A-RELEASE-RP': 0x06,
  'A-ABORT': 0x07,
} as const satisfies Record<Pdu['type'], number>

/**
 * PS3.8 §9.3.2 and §9.3.3: item types within A-ASSOCIATE; 0x51-0x56 are sub-items of the user
 * information (PS3.7 D.3.3).
 */
export const ITEM_TYPE = {
  applicationContext: 0x10,
  presentationContextRq: 0x20,
  presentationContextAc: 0x21,
  abstractSyntax: 0x30,
  transferSyntax: 0x40,
  userInformation: 0x50,
  maximumLength: 0x51,
  implementationClassUid: 0x52,
  asynchronousOperations: 0x53,
  roleSelection: 0x54,
  implementationVersionName: 0x55,
  extendedNegotiation: 0x56,
} as const

interface Association {
  /** Bit field; bit 0 is version 1. */
  readonly protocolVersion: number
  readonly calledAeTitle: string
  readonly callingAeTitle: string
  readonly applicationContext: string
  readonly user: UserInformation
}

export interface AssociateRq extends Association {
  readonly type: 'A-ASSOCIATE-RQ'
  readonly presentationContexts: readonly ProposedContext[]
}

export interface AssociateAc extends Association {
  readonly type: 'A-ASSOCIATE-AC'
  readonly presentationContexts: readonly ContextResult[]
}

export interface ProposedContext {
  /** Odd, 1-255. */
  readonly id: number
  readonly abstractSyntax: string
  readonly transferSyntaxes: readonly string[]
}

export interface ContextResult {
  readonly id: number
  /**
   * PS3.8 Table 9-18: 0 acceptance, 1 user rejection, 2 no reason, 3 abstract syntax, 4 transfer
   * syntaxes not supported.
   */
  readonly result: 0 | 1 | 2 | 3 | 4
  /** Not significant unless the context is accepted. */
  readonly transferSyntax: string
}

export interface UserInformation {
  /** Maximum P-DATA-TF length that the sender accepts, in bytes; 0: unlimited (PS3.8 D.1). */
  readonly maximumLength: number
  readonly implementationClassUid: string
  readonly implementationVersionName: string
  readonly asynchronousOperations:
    | { readonly invoked: number; readonly performed: number }
    | undefined
  readonly roles: readonly RoleSelection[]
  readonly extended?: readonly ExtendedNegotiation[]
}

/** PS3.7 D.3.3.5: options of a SOP class. */
export interface ExtendedNegotiation {
  readonly sopClass: string
  /** Service class application information. */
  readonly information: Buffer
}

/** PS3.7 D.3.3.4: roles of the requestor of the association. */
export interface RoleSelection {
  readonly sopClass: string
  readonly scu: boolean
  readonly scp: boolean
}

/** PS3.8 Table 9-21. */
export interface AssociateRj {
  readonly type: 'A-ASSOCIATE-RJ'
  readonly result: number
  readonly source: number
  readonly reason: number
}

export interface PDataTf {
  readonly type: 'P-DATA-TF'
  readonly pdvs: readonly Pdv[]
}

/** PS3.8 §9.3.5.1 and E.2: a fragment of a command set or of a data set. */
export interface Pdv {
  readonly contextId: number
  readonly isCommand: boolean
  readonly isLast: boolean
  readonly data: Buffer
}

export interface ReleaseRq {
  readonly type: 'A-RELEASE-RQ'
}
export interface ReleaseRp {
  readonly type: 'A-RELEASE-RP'
}

/** PS3.8 Table 9-26. */
export interface Abort {
  readonly type: 'A-ABORT'
  readonly source: number
  readonly reason: number
}

/** Sources of an A-ABORT. */
export const ABORT_SOURCE = { serviceUser: 0, serviceProvider: 2 } as const

/** Reasons of an A-ABORT by the service provider. */
export const ABORT_REASON = {
  notSpecified: 0,
  unrecognizedPdu: 1,
  unexpectedPdu: 2,
  unrecognizedParameter: 4,
  unexpectedParameter: 5,
  invalidParameterValue: 6,
} as const

/** Invalid PDU data: Evt19 of PS3.8 Table 9-10. `message` quotes none of it. */
export class PduFault extends Error {
  override name = 'PduFault'
  readonly reason: number
  constructor(reason: number, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The fault of an invalid parameter. */
export const invalidParameterFault = (message: string): PduFault =>
  new PduFault(ABORT_REASON.invalidParameterValue, message)
