import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { batchesOf } from '#server/dicom/scu/association-request.ts'

const { explicitLittleEndian, implicitLittleEndian } = TRANSFER_SYNTAX
const JPEG = '1.2.840.10008.1.2.4.70'
const instance = (sopClassUid: string, transferSyntaxUid: string) => ({
  sopClassUid,
  transferSyntaxUid,
})

describe('batches of instances', () => {
  it('propose the own transfer syntax and the two that everybody knows, each in a context of its own', () => {
    const [batch] = batchesOf([
      instance('1.1', JPEG),
      instance('1.1', explicitLittleEndian),
      instance('1.1', JPEG),
    ])
    expect(batch?.instances).toHaveLength(3)
    expect(batch?.contexts).toEqual([
      { abstractSyntax: '1.1', transferSyntaxes: [JPEG] },
      { abstractSyntax: '1.1', transferSyntaxes: [explicitLittleEndian] },
      { abstractSyntax: '1.1', transferSyntaxes: [implicitLittleEndian] },
    ])
  })

  it('never need more than 128 contexts, and lose no instance', () => {
    const instances = Array.from({ length: 200 }, (_, at) => instance(`1.${at % 100}`, JPEG))
    const batches = batchesOf(instances)
    expect(batches.map(({ contexts }) => contexts.length)).toEqual([126, 126, 48])
    expect(batches.flatMap((batch) => batch.instances).toSorted(byClass)).toEqual(
      instances.toSorted(byClass),
    )
    for (const { instances: part, contexts } of batches)
      for (const one of part)
        expect(contexts).toContainEqual({
          abstractSyntax: one.sopClassUid,
          transferSyntaxes: [JPEG],
        })
  })

  it('keep the order of instances within a batch', () => {
    const numbered = [3, 1, 2].map((number) => ({ ...instance('1.1', JPEG), number }))
    expect(batchesOf(numbered)[0]?.instances.map(({ number }) => number)).toEqual([3, 1, 2])
  })

  it('are none where there is nothing to send', () => {
    expect(batchesOf([])).toEqual([])
  })
})

const byClass = (a: { sopClassUid: string }, b: { sopClassUid: string }) =>
  a.sopClassUid.localeCompare(b.sopClassUid)
