import { expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { sentRow, sentRows } from '#server/modules/worklist/sent-row.ts'
import { ask, dataSetOf, item, openBench } from './worklist-fixture.ts'

const NAME = 0x00100010

it('reads back what is sent in each transfer syntax, values of the step among them', async () => {
  await using bench = await openBench({ items: [item(1, { PatientName: 'Ödman^Åke' }), item(2)] })
  for (const transferSyntax of Object.values(TRANSFER_SYNTAX)) {
    const { batches } = await bench.find(ask(), { transferSyntax })
    const rows = batches.flatMap((batch) => [...sentRows(batch, transferSyntax)])
    expect(
      rows.map(({ values, steps, terms }) => [
        values.get(NAME)?.text,
        values.get(0x00400009)?.text,
        steps,
        terms,
      ]),
    ).toEqual([
      ['Ödman^Åke', 'S001', 1, ['ISO_IR 100']],
      ['TESTER^NUMBER002', 'S002', 1, []],
    ])
    expect(rows[0]?.values.get(0x0020000d)).toEqual({
      tag: 0x0020000d,
      vr: 'UI',
      text: '2.25.10001',
      isExact: true,
    })
  }
})

it('tells bytes without a meaning, and a row without a step', () => {
  const { values, steps } = sentRow(dataSetOf({ PatientName: 'M\xfcller' }))
  expect([values.get(NAME)?.isExact, steps]).toEqual([false, 0])
})
