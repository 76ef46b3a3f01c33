import { decodeText, encodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/padding.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import { keysOf, MOST_STUDIES, type PriorKeys, type PriorStudyRow, rowOf } from './prior-study.ts'
import { openAssociation, type Peer, RequestorError, type RequestorLimits } from './requestor.ts'

interface QueryOptions {
  readonly limits?: Partial<RequestorLimits>
  readonly signal?: AbortSignal | undefined
}

/**
 * C-ECHO (PS3.4 Annex A).
 * @throws {RequestorError} where the other side does not answer Success.
 */
export async function echo(
  peer: Peer,
  callingAeTitle: string,
  options: QueryOptions = {},
): Promise<void> {
  const abstractSyntax = SOP_CLASS.verification
  await using association = await openAssociation({
    ...options,
    peer,
    callingAeTitle,
    contexts: [{ abstractSyntax, transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian] }],
  })
  const command = { commandField: COMMAND_FIELD['C-ECHO-RQ'], affectedSopClassUid: abstractSyntax }
  for await (const { command: response } of association.request(1, command)) {
    if (response.status !== 0x0000) throw refused(peer, response.status)
  }
}

/** C-ECHO as a person asks for it. Never throws: `message` is one sentence. */
export async function testConnection(
  peer: Peer,
  callingAeTitle: string,
  options: QueryOptions = {},
) {
  const startedAt = performance.now()
  const message = await echo(peer, callingAeTitle, options).then(
    () => undefined,
    (error: unknown) =>
      error instanceof RequestorError ? error.message : 'the connection could not be tested',
  )
  return {
    success: message === undefined,
    message: message ?? `${peer.aeTitle} answers: the connection works`,
    tookMs: performance.now() - startedAt,
  }
}

/**
 * Studies by Study Root C-FIND (PS3.4 C.4.1), at most `MOST_STUDIES`.
 * @throws {RequestorError} where the association fails or the other side cannot answer: never an
 *   empty list instead.
 */
export async function findStudies(
  peer: Peer,
  callingAeTitle: string,
  keys: PriorKeys,
  options: QueryOptions = {},
): Promise<PriorStudyRow[]> {
  const abstractSyntax = SOP_CLASS.studyRootFind
  await using association = await openAssociation({
    ...options,
    peer,
    callingAeTitle,
    contexts: [
      {
        abstractSyntax,
        transferSyntaxes: [
          TRANSFER_SYNTAX.explicitLittleEndian,
          TRANSFER_SYNTAX.implicitLittleEndian,
        ],
      },
    ],
  })
  const [context] = association.accepted
  if (!context)
    throw new RequestorError(
      'not-accepted',
      `${peer.aeTitle} answers no queries (C-FIND, Study Root)`,
    )
  const rows: PriorStudyRow[] = []
  const enough = new AbortController()
  const command = {
    commandField: COMMAND_FIELD['C-FIND-RQ'],
    affectedSopClassUid: abstractSyntax,
    priority: 0,
  }
  const identifier = writeDataSet(identifierOf(keys), context.transferSyntax)
  for await (const { command: response, dataSet } of association.request(
    context.id,
    command,
    identifier,
    { cancel: enough.signal },
  )) {
    const category = categoryOf(response.status ?? 0x0110)
    if (category === 'pending') {
      const row = Buffer.isBuffer(dataSet)
        ? rowOf(textsOf(readDataSet(dataSet, context.transferSyntax)))
        : undefined
      if (row && rows.length < MOST_STUDIES) rows.push(row)
      if (rows.length === MOST_STUDIES) enough.abort()
    } else if (category === 'failure') {
      throw refused(peer, response.status)
    }
  }
  return rows
}

/** The refusal of a C-ECHO or C-FIND, in words. */
export function refused(peer: Peer, status: number | undefined): RequestorError {
  const code = (status ?? 0x0110).toString(16).toUpperCase().padStart(4, '0')
  return new RequestorError('not-accepted', `${peer.aeTitle} could not answer: status ${code}`)
}

const SPECIFIC_CHARACTER_SET = 0x00080005
const UTF_8 = 'ISO_IR 192'

function identifierOf(keys: PriorKeys): DataSet {
  const written = keysOf(keys)
  // PS3.4 C.2.2.2: only where a key needs it: some systems refuse a set they do not know.
  const terms = written.every(({ text }) => /^[ -~]*$/.test(text)) ? [] : [UTF_8]
  return [
    ...(terms.length > 0
      ? [{ tag: SPECIFIC_CHARACTER_SET, vr: 'CS', value: Buffer.from(UTF_8) }]
      : []),
    ...written.map(({ tag, vr, text }) => ({
      tag,
      vr,
      value: encodeText(text, terms, vr) ?? Buffer.alloc(0),
    })),
  ].sort((a, b) => a.tag - b.tag)
}

function textsOf(dataSet: DataSet): (tag: number) => string {
  const bytesOf = (tag: number) => {
    const value = dataSet.find((element) => element.tag === tag)?.value
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
  }
  const terms = withoutPadding(bytesOf(SPECIFIC_CHARACTER_SET).toString('latin1')).split('\\')
  return (tag) => {
    const vr = dataSet.find((element) => element.tag === tag)?.vr ?? 'LO'
    return withoutPadding(decodeText(bytesOf(tag), terms, vr).text)
  }
}
