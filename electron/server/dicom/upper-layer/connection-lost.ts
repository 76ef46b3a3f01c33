/** Errors of a connection that stood, by what happened to it. */
const LOST: Readonly<Record<string, string>> = {
  ECONNRESET: 'the other side cut the connection',
  EPIPE: 'the other side cut the connection',
  ECONNABORTED: 'this computer cut the connection',
  ETIMEDOUT: 'the other side stopped answering, or the network between is down',
  EHOSTUNREACH: 'the other side cannot be reached any more',
  ENETUNREACH: 'the network cannot be reached any more',
  ENETDOWN: 'the network is down',
}

/**
 * Why a connection that stood is over, as part of a sentence; with the code at its end for whoever
 * looks further.
 */
export function lostBecause({ code = '', message }: NodeJS.ErrnoException): string {
  return `${LOST[code] ?? 'the connection was lost'} (${code || message})`
}
