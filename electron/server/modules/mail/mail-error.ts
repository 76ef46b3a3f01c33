/**
 * A mail that was not taken. `message` is one clause in plain words, without an address and safe to
 * keep.
 */
export class MailError extends Error {
  override name = 'MailError'
  /** The server will never take it: trying again is of no use. */
  readonly isFinal: boolean
  constructor(
    message: string,
    more: { readonly isFinal?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.isFinal = more.isFinal ?? false
  }
}

/** Codes of nodemailer and of Node, in words. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the mail server refused the connection',
  ENOTFOUND: 'the name of the mail server is not known',
  EDNS: 'the name of the mail server is not known',
  EAI_AGAIN: 'the name server did not answer',
  ECONNECTION: 'the mail server closed the connection',
  ESOCKET: 'the connection to the mail server broke',
  ECONNRESET: 'the connection to the mail server broke',
  ETIMEDOUT: 'the mail server did not answer in time',
  EHOSTUNREACH: 'there is no route to the mail server',
  ENETUNREACH: 'there is no route to the mail server',
  EAUTH: 'the mail server did not accept user name and password',
  ENOAUTH: 'user name or password for the mail server is missing',
  ETLS: 'the mail server offers no secure connection (STARTTLS)',
  EPROTOCOL: 'the mail server answered in a form that is not SMTP',
  EENVELOPE: 'the mail server did not take the sender or the recipient',
  EMESSAGE: 'the mail server did not take the message',
  CERT_HAS_EXPIRED: 'the certificate of the mail server has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the mail server is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the mail server is not one this PC trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the mail server is not one this PC trusts',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the mail server is not one this PC trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the mail server is not one this PC trusts',
}
/**
 * What a reply code above 499 makes final: the recipient or the message, not the server's own
 * state.
 */
const FINAL = new Set(['EENVELOPE', 'EMESSAGE'])

/**
 * Any failure of a send as a MailError. What the server said is left out: it may quote an address.
 */
export function mailErrorOf(thrown: unknown): MailError {
  if (thrown instanceof MailError) return thrown
  const code = fieldOf(thrown, 'code')
  const reply = fieldOf(thrown, 'responseCode')
  const words =
    MEANINGS[certificateFault(thrown)] ?? MEANINGS[String(code)] ?? 'the mail could not be sent'
  return new MailError(typeof reply === 'number' ? `${words} (reply ${reply})` : words, {
    // RFC 5321 §4.2.1: 5yz is permanent.
    isFinal: typeof reply === 'number' && reply >= 500 && FINAL.has(String(code)),
    cause: thrown,
  })
}

/**
 * nodemailer names a broken handshake by its own code and keeps the cause's code only in the text
 * or the cause.
 */
function certificateFault(thrown: unknown): string {
  const texts = [
    fieldOf(thrown, 'message'),
    fieldOf(fieldOf(thrown, 'cause'), 'code'),
    fieldOf(thrown, 'code'),
  ]
    .map(String)
    .join(' ')
  if (/altname|does not match certificate/i.test(texts)) return 'ERR_TLS_CERT_ALTNAME_INVALID'
  if (/certificate has expired|CERT_HAS_EXPIRED/i.test(texts)) return 'CERT_HAS_EXPIRED'
  if (/self[- ]signed|unable to (get|verify)|SELF_SIGNED|UNABLE_TO/i.test(texts))
    return 'SELF_SIGNED_CERT_IN_CHAIN'
  return (
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/.exec(texts)?.[0] ?? ''
  )
}

const fieldOf = (thrown: unknown, name: string): unknown =>
  typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined
