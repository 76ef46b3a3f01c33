/**
 * PRI of RFC 5424 §6.2.1: facility 10 (security and authorization) and severity 5 (notice), as
 * PS3.15 A.6 requires.
 */
const PRIORITY = 10 * 8 + 5

export interface SyslogHeader {
  /** Timestamp in RFC 3339 format, as stored in the trail. */
  readonly at: string
  readonly host: string
  readonly processId: number
}

/** Encodes a message of RFC 5424 with octet counting (RFC 5425 §4.3). `body` is text. */
export function syslogFrame({ at, host, processId }: SyslogHeader, body: string): Buffer {
  const header = `<${PRIORITY}>1 ${at} ${printableAscii(host)} isthmus ${processId} DICOM+RFC3881 -`
  // RFC 5424 §6.4: UTF-8 text begins with a byte order mark.
  const message = Buffer.from(`${header} \ufeff${body}`)
  return Buffer.concat([Buffer.from(`${message.length} `), message])
}

/** RFC 5424 §6: printable ASCII without spaces, at most 255 characters, `-` if empty. */
const printableAscii = (text: string): string =>
  text.replace(/[^\x21-\x7e]/g, '').slice(0, 255) || '-'
