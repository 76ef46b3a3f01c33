import { describe, expect, it } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { NormalizedRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { mpps, storageCommitment } from '#server/dicom/scp/service-classes.ts'
import { serve } from '../../../../support/dimse-server.ts'
import { associated, ECHO_CONTEXT, Requestor } from '../../../../support/requestor.ts'

const { modalityPerformedProcedureStep: MPPS, storageCommitmentPushModel: COMMITMENT } = SOP_CLASS
const context = (abstractSyntax: string) => [
  ECHO_CONTEXT,
  { id: 9, abstractSyntax, transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian] },
]

describe('Modality Performed Procedure Step', () => {
  it('passes N-CREATE and N-SET on, and names the instance in the responses, also one that we made', async () => {
    const seen: Pick<NormalizedRequest, 'sopInstanceUid' | 'transferSyntax' | 'dataSet'>[] = []
    const note = ({ sopInstanceUid, transferSyntax, dataSet }: NormalizedRequest) =>
      void seen.push({ sopInstanceUid, transferSyntax, dataSet })
    const service = mpps({
      async create(request) {
        note(request)
        return { status: 0x0000, sopInstanceUid: request.sopInstanceUid ?? '2.25.99' }
      },
      async set(request) {
        note(request)
        throw new DimseError(0x0112)
      },
    })
    const { server, port } = await serve({ services: [service] })
    await using _server = server
    await using requestor = await associated(port, { contexts: context(MPPS) })
    const create = {
      commandField: COMMAND_FIELD['N-CREATE-RQ'],
      affectedSopClassUid: MPPS,
      hasDataSet: true,
    }
    requestor.sendMessage(
      9,
      { ...create, messageId: 1, affectedSopInstanceUid: '2.25.7' },
      Buffer.from('one!'),
    )
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8140,
      status: 0,
      affectedSopInstanceUid: '2.25.7',
    })
    requestor.sendMessage(9, { ...create, messageId: 2 }, Buffer.from('two!'))
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8140,
      status: 0,
      affectedSopInstanceUid: '2.25.99',
    })
    const set = {
      commandField: COMMAND_FIELD['N-SET-RQ'],
      requestedSopClassUid: MPPS,
      messageId: 3,
      hasDataSet: true,
    }
    requestor.sendMessage(9, { ...set, requestedSopInstanceUid: '2.25.8' }, Buffer.from('more'))
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8120,
      status: 0x0112,
    })
    const transferSyntax = TRANSFER_SYNTAX.implicitLittleEndian
    expect(seen).toEqual([
      { sopInstanceUid: '2.25.7', transferSyntax, dataSet: Buffer.from('one!') },
      { sopInstanceUid: undefined, transferSyntax, dataSet: Buffer.from('two!') },
      { sopInstanceUid: '2.25.8', transferSyntax, dataSet: Buffer.from('more') },
    ])
  })

  it('takes the list of a large study, and refuses one past the limit without keeping it', async () => {
    const service = mpps({
      create: async ({ dataSet }) => ({
        status: dataSet?.length === 1 << 20 ? 0x0000 : 0x0110,
        sopInstanceUid: undefined,
      }),
      set: async () => ({ status: 0x0000 }),
    })
    const { server, port } = await serve({
      services: [service],
      limits: { normalizedBytes: 2 << 20 },
    })
    await using _server = server
    await using requestor = await associated(port, { contexts: context(MPPS) })
    const create = {
      commandField: COMMAND_FIELD['N-CREATE-RQ'],
      affectedSopClassUid: MPPS,
      hasDataSet: true,
    }
    requestor.sendMessage(9, { ...create, messageId: 1 }, Buffer.alloc(1 << 20))
    expect((await requestor.message()).command.status).toBe(0x0000)
    requestor.sendMessage(9, { ...create, messageId: 2 }, Buffer.alloc(3 << 20))
    expect((await requestor.message()).command.status).toBe(0x0213)
  })
})

describe('Storage Commitment', () => {
  it('passes N-ACTION on with its type, and is not offered at all while it is off', async () => {
    let isOn = false
    const types: number[] = []
    const service = storageCommitment(
      {
        action: async ({ actionTypeId }) => {
          types.push(actionTypeId)
          return { status: 0x0000 }
        },
      },
      () => isOn,
    )
    const { server, port } = await serve({ services: [service] })
    await using _server = server
    await using refused = await associated(port)
    await using off = await Requestor.connect(port)
    expect(
      (await off.associate({ contexts: context(COMMITMENT) })).presentationContexts[1],
    ).toMatchObject({ id: 9, result: 3 })
    isOn = true
    await using requestor = await associated(port, { contexts: context(COMMITMENT) })
    const instance = '1.2.840.10008.1.20.1.1'
    const action = {
      commandField: COMMAND_FIELD['N-ACTION-RQ'],
      requestedSopClassUid: COMMITMENT,
      requestedSopInstanceUid: instance,
    }
    requestor.sendMessage(
      9,
      { ...action, actionTypeId: 1, messageId: 4, hasDataSet: true },
      Buffer.from('list'),
    )
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8130,
      affectedSopInstanceUid: instance,
      actionTypeId: 1,
      status: 0,
    })
    expect(types).toEqual([1])
    expect(await refused.echo()).toBe(0)
  })
})
