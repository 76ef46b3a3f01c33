import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { echoscu, findscu, readResponses, scratchFolder } from '../support/dcmtk.ts'
import { batchOf, patient, serve, type Watched } from '../support/dimse-server.ts'
import { needs } from '../support/needs.ts'

const KEYS = [
  '-k',
  'PatientName',
  '-k',
  'PatientID',
  '-k',
  'AccessionNumber',
  '-k',
  'ScheduledProcedureStepSequence[0].Modality=CT',
]

/** A worklist of so many rows in this syntax only; `syntaxes` notes in which it was asked. */
async function worklist(
  count: number,
  transferSyntax: string,
): Promise<Watched & { readonly syntaxes: string[] }> {
  const syntaxes: string[] = []
  const watched = await serve({
    transferSyntaxes: [transferSyntax],
    async *find({ transferSyntax }): AsyncGenerator<EncodedIdentifiers, { status: number }, void> {
      syntaxes.push(transferSyntax)
      yield batchOf(
        Array.from({ length: count }, (_, number) => writeDataSet(patient(number), transferSyntax)),
      )
      return { status: 0x0000 }
    },
  })
  return { ...watched, syntaxes }
}

describe('DCMTK', () => {
  it('presses C-ECHO', async (context) => {
    needs(context, 'dcmtk')
    const watched = await serve()
    await using _server = watched.server
    expect(await echoscu(watched.port, 'DCMTK')).toBe(true)
    expect(watched.seen).toEqual([
      'opened DCMTK Verification',
      'answered DCMTK Verification 0000 0',
      'closed DCMTK released: released by the other side',
    ])
  })

  it.for<[string, string[], string]>([
    ['as it likes', [], TRANSFER_SYNTAX.explicitLittleEndian],
    ['Implicit VR Little Endian only', ['-xi'], TRANSFER_SYNTAX.implicitLittleEndian],
    ['Explicit VR Big Endian, and we take no other', ['-xb'], TRANSFER_SYNTAX.explicitBigEndian],
    ['Deflated, and we take no other', ['-xd'], TRANSFER_SYNTAX.deflatedExplicitLittleEndian],
    ['a maximum PDU length of 4096', ['--max-pdu', '4096'], TRANSFER_SYNTAX.explicitLittleEndian],
  ])('reads every row of a worklist, proposing %s', async ([, args, syntax], context) => {
    needs(context, 'dcmtk', 'pydicom')
    const watched = await worklist(25, syntax)
    await using _server = watched.server
    using scratch = scratchFolder()
    const { final } = await findscu({
      port: watched.port,
      args: [...args, ...KEYS],
      keepIn: scratch.path,
    })
    expect(final).toBe('Success')
    expect(watched.syntaxes).toEqual([syntax])
    const rows = await readResponses(scratch.path)
    expect(rows.map(({ PatientID, PatientName }) => [PatientID, PatientName])).toEqual(
      Array.from({ length: 25 }, (_, number) => [
        `PID${String(number).padStart(7, '0')}`,
        `TEST^NUMBER${String(number).padStart(5, '0')}`,
      ]),
    )
    expect(rows[7]?.ScheduledProcedureStepSequence).toEqual([
      { Modality: 'CT', ScheduledProcedureStepID: 'S0000007' },
    ])
  })

  it('cancels after the rows it wanted', async (context) => {
    needs(context, 'dcmtk')
    const hold = Promise.withResolvers<void>()
    const watched = await serve({
      async *find({ transferSyntax, signal }) {
        signal.addEventListener('abort', () => hold.resolve(), { once: true })
        yield batchOf(
          Array.from({ length: 5 }, (_, number) => writeDataSet(patient(number), transferSyntax)),
        )
        await hold.promise
        return { status: 0xfe00 }
      },
    })
    await using _server = watched.server
    const { output } = await findscu({ port: watched.port, args: ['--cancel', '2', ...KEYS] })
    expect(output).toContain('Cancel')
    expect(await watched.saw('answered')).toBe('answered CT1 Modality Worklist fe00 5')
  })
})
