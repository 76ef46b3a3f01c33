import { describe, expect, it } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { CFindScp } from '#server/dicom/dimse/service.ts'
import { basicWorklist } from '#server/dicom/scp/basic-worklist.ts'
import { query } from '#server/dicom/scp/query.ts'
import {
  negotiate,
  type Offer,
  scpContexts,
} from '#server/dicom/upper-layer/presentation-contexts.ts'

const {
  implicitLittleEndian: ILE,
  explicitLittleEndian: ELE,
  explicitBigEndian: EBE,
  deflatedExplicitLittleEndian: DEFLATED,
} = TRANSFER_SYNTAX
const MWL = SOP_CLASS.modalityWorklistFind
const COMMITMENT = SOP_CLASS.storageCommitmentPushModel
const FIND = SOP_CLASS.studyRootFind

const findScp: CFindScp = {
  async *find() {
    yield* []
    return { status: 0 }
  },
}
const worklist: Offer = basicWorklist(findScp)
const OFFERS = new Map<string, Offer>([
  [MWL, worklist],
  [FIND, query(findScp)],
  [COMMITMENT, { transferSyntaxes: [ILE], acceptsScpRole: [MWL] }],
])
const offerOf = (uid: string) => OFFERS.get(uid)

describe('presentation contexts', () => {
  it.each([
    [[ILE], ILE],
    [[ILE, ELE], ELE],
    [[DEFLATED, EBE, ILE, ELE], ELE],
    [[EBE, ILE], ILE],
    [[DEFLATED, EBE], EBE],
    [[DEFLATED], DEFLATED],
  ])('of a worklist with %j are accepted in our order, with %s', (transferSyntaxes, expected) => {
    const { results, accepted } = negotiate(
      [{ id: 1, abstractSyntax: MWL, transferSyntaxes }],
      [],
      offerOf,
    )
    expect(results).toEqual([{ id: 1, result: 0, transferSyntax: expected }])
    expect(accepted.get(1)).toEqual({ id: 1, abstractSyntax: MWL, transferSyntax: expected })
  })

  it('are refused with 3 for an unknown abstract syntax and with 4 for transfer syntaxes, each in its place', () => {
    const { results, accepted } = negotiate(
      [
        { id: 5, abstractSyntax: '1.2.3', transferSyntaxes: [ILE] },
        { id: 3, abstractSyntax: MWL, transferSyntaxes: ['1.2.840.10008.1.2.4.50'] },
        { id: 1, abstractSyntax: MWL, transferSyntaxes: [ILE] },
        { id: 7, abstractSyntax: MWL, transferSyntaxes: [] },
      ],
      [],
      offerOf,
    )
    expect(results.map(({ id, result }) => [id, result])).toEqual([
      [5, 3],
      [3, 4],
      [1, 0],
      [7, 4],
    ])
    expect([...accepted.keys()]).toEqual([1])
  })

  it('answer a role only where it was asked, for a class that was accepted', () => {
    const contexts = [
      { id: 1, abstractSyntax: MWL, transferSyntaxes: [ILE] },
      { id: 3, abstractSyntax: COMMITMENT, transferSyntaxes: [ILE] },
      { id: 5, abstractSyntax: '1.2.3', transferSyntaxes: [ILE] },
    ]
    const both = (sopClass: string) => ({ sopClass, scu: true, scp: true })
    expect(negotiate(contexts, [], offerOf).roles).toEqual([])
    expect(
      negotiate(contexts, [both(MWL), both(COMMITMENT), both('1.2.3')], offerOf).roles,
    ).toEqual([
      { sopClass: MWL, scu: true, scp: false },
      { sopClass: COMMITMENT, scu: true, scp: true },
    ])
  })

  it('lets the requestor be the SCP only beside the class that it needs that for', () => {
    const worklistContext = { id: 1, abstractSyntax: MWL, transferSyntaxes: [ILE] }
    const commitment = { id: 3, abstractSyntax: COMMITMENT, transferSyntaxes: [ILE] }
    const role = { sopClass: COMMITMENT, scu: false, scp: true }
    const alone = negotiate([commitment], [role], offerOf)
    expect(alone.roles).toEqual([{ ...role, scp: false }])
    expect(scpContexts(alone)).toEqual([])
    const both = negotiate([worklistContext, commitment], [role], offerOf)
    expect(both.roles).toEqual([role])
    expect(scpContexts(both)).toEqual([{ id: 3, abstractSyntax: COMMITMENT, transferSyntax: ILE }])
  })

  it('send a requestor the compression that it names first, and store by their own preference', () => {
    const RLE = '1.2.840.10008.1.2.5'
    const JPEG = '1.2.840.10008.1.2.4.50'
    const CT = '1.2.840.10008.5.1.4.1.1.2'
    const storage: Offer = {
      transferSyntaxes: [ELE, ILE, RLE, JPEG],
      acceptsScpRole: [FIND],
      scpCompressions: () => [RLE],
    }
    const chosen = (transferSyntaxes: string[], scp: boolean) =>
      negotiate(
        [{ id: 1, abstractSyntax: CT, transferSyntaxes }],
        [{ sopClass: CT, scu: !scp, scp }],
        () => storage,
      ).accepted.get(1)?.transferSyntax
    expect(chosen([RLE, ELE], true)).toBe(RLE)
    expect(chosen([RLE, ELE], false)).toBe(ELE)
    // Images would have to be compressed with loss.
    expect(chosen([JPEG, ELE], true)).toBe(ELE)
    expect(chosen([ILE, ELE], true)).toBe(ELE)
  })

  it('answer the options of a class that was accepted and has some', () => {
    const contexts = [
      { id: 1, abstractSyntax: MWL, transferSyntaxes: [ILE] },
      { id: 3, abstractSyntax: FIND, transferSyntaxes: [ILE] },
      { id: 5, abstractSyntax: '1.2.3', transferSyntaxes: [ILE] },
    ]
    const options = [MWL, FIND, '1.2.3'].map((sopClass) => ({
      sopClass,
      information: Buffer.of(1, 0, 1),
    }))
    const { extended, accepted } = negotiate(contexts, [], offerOf, options)
    expect(extended).toEqual([{ sopClass: FIND, information: Buffer.of(1, 0, 0) }])
    expect(accepted.get(1)?.options).toBeUndefined()
    expect(accepted.get(3)?.options).toEqual(Buffer.of(1, 0, 0))
    const rejected = [{ id: 3, abstractSyntax: FIND, transferSyntaxes: ['1.2.3'] }]
    expect(negotiate(rejected, [], offerOf, options).extended).toEqual([])
  })
})
