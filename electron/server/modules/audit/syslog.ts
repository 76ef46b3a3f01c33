/**
 * RFC 5424 §6.2.1: facility 10 (security and authorization), severity 5 (notice), as PS3.15 A.6 has
 * it.
 */
const PRIORITY = 10 * 8 + 5

export interface SyslogHeader {
  /** RFC 3339, as the trail has it. */
  readonly at: string
  readonly host: string
  readonly processId: number
}

/** One message of RFC 5424, framed by octet counting (RFC 5425 §4.3). The body is text in UTF-8. */
export function syslogFrame({ at, host, processId }: SyslogHeader, body: string): Buffer {
  const header = `<${PRIORITY}>1 ${at} ${printable(host)} isthmus ${processId} DICOM+RFC3881 -`
  // RFC 5424 §6.4: text in UTF-8 begins with the byte order mark.
  const message = Buffer.from(`${header} \ufeff${body}`)
  return Buffer.concat([Buffer.from(`${message.length} `), message])
}

/** RFC 5424 §6: printable ASCII without spaces, at most 255; `-` where nothing is left. */
const printable = (text: string): string => text.replace(/[^\x21-\x7e]/g, '').slice(0, 255) || '-'
