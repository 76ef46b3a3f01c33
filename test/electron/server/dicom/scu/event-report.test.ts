import { describe, expect, it } from 'vitest'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type CommitmentReport, sendEventReport } from '#server/dicom/scu/event-report.ts'
import { type Acceptor, type Script, startAcceptor } from '../../../../support/acceptor.ts'

const sopClass = SOP_CLASS.storageCommitmentPushModel
const REPORT: CommitmentReport = {
  transactionUid: '2.25.900',
  committed: [{ sopClassUid: '1.2.840.10008.5.1.4.1.1.2', sopInstanceUid: '2.25.1.1' }],
  failed: [],
}
const FAILED = {
  sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
  sopInstanceUid: '2.25.1.2',
  failureReason: 0x0112,
}
const taking: Script = {
  roles: [{ sopClass, scu: false, scp: true }],
  message: (message, peer) => peer.respond(message, 0x0000),
}

const send = ({ port }: Acceptor, report = REPORT) =>
  sendEventReport(
    { peer: { host: '127.0.0.1', port, aeTitle: 'CT1' }, callingAeTitle: 'ISTHMUS' },
    report,
  )

/** The report as the device reads it: keywords to text, numbers or items. */
function reportIn({ messages }: Acceptor): unknown {
  const dataSet = messages[0]?.dataSet
  if (!Buffer.isBuffer(dataSet)) throw new Error('no data set')
  const plain = (elements: ReturnType<typeof readDataSet>): unknown =>
    Object.fromEntries(
      elements.map(({ tag, vr, value }) => [
        NAMES[tag] ?? tag,
        Buffer.isBuffer(value)
          ? vr === 'US'
            ? value.readUInt16LE(0)
            : value.toString('latin1').replace(/\0$/, '')
          : value.map(plain),
      ]),
    )
  return plain(readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian))
}
const NAMES: Record<number, string> = Object.fromEntries(
  [
    'TransactionUID',
    'FailedSOPSequence',
    'ReferencedSOPSequence',
    'ReferencedSOPClassUID',
    'ReferencedSOPInstanceUID',
    'FailureReason',
  ].map((keyword) => [tagOf(keyword), keyword]),
)

describe('the result of a storage commitment', () => {
  it('goes out with us as the SCP, as event type 1 where all is committed', async () => {
    await using device = await startAcceptor(taking)
    await send(device)
    expect(device.received[0]).toMatchObject({
      user: { roles: [{ sopClass, scu: false, scp: true }] },
    })
    expect(device.messages[0]?.command).toMatchObject({
      commandField: 0x0100,
      eventTypeId: 1,
      affectedSopClassUid: sopClass,
      affectedSopInstanceUid: '1.2.840.10008.1.20.1.1',
    })
    expect(reportIn(device)).toEqual({
      TransactionUID: '2.25.900',
      ReferencedSOPSequence: [
        {
          ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
          ReferencedSOPInstanceUID: '2.25.1.1',
        },
      ],
    })
    expect(device.received.at(-1)?.type).toBe('A-RELEASE-RQ')
  })

  it('is event type 2 where some failed, each with its reason', async () => {
    await using device = await startAcceptor(taking)
    await send(device, { ...REPORT, committed: [], failed: [FAILED] })
    expect(device.messages[0]?.command.eventTypeId).toBe(2)
    expect(reportIn(device)).toEqual({
      TransactionUID: '2.25.900',
      FailedSOPSequence: [
        {
          ReferencedSOPClassUID: FAILED.sopClassUid,
          ReferencedSOPInstanceUID: '2.25.1.2',
          FailureReason: 0x0112,
        },
      ],
    })
  })

  it('goes to a device that leaves out its answer to the role, and to none that refuses it', async () => {
    await using lax = await startAcceptor({ ...taking, roles: [] })
    await send(lax)
    expect(lax.messages).toHaveLength(1)
    await using refusing = await startAcceptor({
      ...taking,
      roles: [{ sopClass, scu: true, scp: false }],
    })
    await expect(send(refusing)).rejects.toThrow('does not accept storage commitment results')
    expect(refusing.messages).toEqual([])
  })

  it('is not delivered where the device answers with a failure', async () => {
    await using device = await startAcceptor({
      ...taking,
      message: (message, peer) => peer.respond(message, 0x0112),
    })
    await expect(send(device)).rejects.toThrow(
      'CT1 did not accept the storage commitment result: status 0112',
    )
  })
})
