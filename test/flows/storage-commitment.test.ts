import { expect, it } from 'vitest'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type Acceptor, type Script, startAcceptor } from '../support/acceptor.ts'
import { freePort } from '../support/free-port.ts'

import {
  type ClinicOptions,
  imageOf,
  movableClock,
  openImagingClinic,
  sendImages,
  sopUid,
  until,
} from '../support/imaging-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// Storage commitment (PS3.4 Annex J, dicom-field §5.8): a device asks on one association and is
// told on another, that the gateway opens.

const sopClass = SOP_CLASS.storageCommitmentPushModel
const TRANSACTION = '1.2.3.700.1'
const HOUR_MS = 3_600_000
/** A device that takes results. */
const TAKING: Script = {
  roles: [{ sopClass, scu: false, scp: true }],
  message: (message, peer) => peer.respond(message, 0x0000),
}

const clinicWith = (port: number, more: ClinicOptions = {}): ClinicOptions => ({
  devices: [{ aeTitle: 'CT1', name: 'CT room 1', address: '127.0.0.1', port }],
  ...more,
  overrides: { 'commitment.isOn': true, ...more.overrides },
})

/** The instances that the newest report speaks of. */
function reported({ messages }: Acceptor) {
  const { command, dataSet } = messages.at(-1) ?? {}
  if (!Buffer.isBuffer(dataSet)) throw new Error('no report')
  const elements = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian)
  type Elements = typeof elements
  const find = (of: Elements, keyword: string) =>
    of.find(({ tag }) => tag === tagOf(keyword))?.value
  const items = (keyword: string) => (find(elements, keyword) ?? []) as readonly Elements[]
  const uid = (of: Elements, keyword: string) => String(find(of, keyword)).replace(/\0$/, '')
  return {
    eventTypeId: command?.eventTypeId,
    transactionUid: uid(elements, 'TransactionUID'),
    committed: items('ReferencedSOPSequence').map((item) => uid(item, 'ReferencedSOPInstanceUID')),
    failed: items('FailedSOPSequence').map((item) => [
      uid(item, 'ReferencedSOPInstanceUID'),
      (find(item, 'FailureReason') as Buffer).readUInt16LE(),
    ]),
  }
}

it.concurrent('tells a device on a new association that its images are kept, and has a complete study with that', async () => {
  await using device = await startAcceptor(TAKING)
  await using clinic = await openImagingClinic(clinicWith(device.port, { idleSeconds: 3600 }))
  await using modality = await clinic.modality()
  for (const number of [1, 2]) await modality.store(imageOf(number))
  expect(await modality.askCommitment(TRANSACTION, [sopUid(1), sopUid(2)])).toMatchObject({
    status: '0000',
  })

  await until(() => expect(device.messages).toHaveLength(1))
  expect(reported(device)).toEqual({
    eventTypeId: 1,
    transactionUid: TRANSACTION,
    committed: [sopUid(1), sopUid(2)],
    failed: [],
  })
  expect(device.received[0]).toMatchObject({
    calledAeTitle: 'CT1',
    callingAeTitle: 'ISTHMUS',
    user: { roles: [{ sopClass, scp: true }] },
  })
  await clinic.seeded()
  const state = async () => (await clinic.images()).commitments
  await until(async () =>
    expect(await state()).toMatchObject([
      { transactionUid: TRANSACTION, state: 'delivered', instances: 2, failed: 0 },
    ]),
  )
  expect(await clinic.images()).toMatchObject({ state: 'complete', expected: 2, missing: 0 })
})

it.concurrent('says which images it does not have', async () => {
  await using device = await startAcceptor(TAKING)
  await using clinic = await openImagingClinic(clinicWith(device.port, { idleSeconds: 3 }))
  await using modality = await clinic.modality()
  await modality.store(imageOf(1))
  expect(await modality.askCommitment(TRANSACTION, [sopUid(1), sopUid(9)])).toMatchObject({
    status: '0000',
  })
  // The same request again is on its way; another one may not take its UID.
  expect(await modality.askCommitment(TRANSACTION, [sopUid(1), sopUid(9)])).toMatchObject({
    status: '0000',
  })
  expect(await modality.askCommitment(TRANSACTION, [sopUid(1)])).toMatchObject({ status: '0131' })
  await modality.release()

  await until(() => expect(device.messages).toHaveLength(1))
  expect(reported(device)).toEqual({
    eventTypeId: 2,
    transactionUid: TRANSACTION,
    committed: [sopUid(1)],
    failed: [[sopUid(9), 0x0112]],
  })
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ state: 'incomplete', expected: 2, missing: 1 }),
  )
})

it.concurrent('tries again where the device is down, from its rows, and delivers after a restart', async () => {
  using temp = tempFolder()
  const clock = movableClock()
  const port = await freePort()
  const options = clinicWith(port, { folder: temp.folder, clock })
  {
    await using clinic = await openImagingClinic(options)
    await sendImages(clinic, [imageOf(1)])
    await using modality = await clinic.modality()
    expect(await modality.askCommitment(TRANSACTION, [sopUid(1)])).toMatchObject({ status: '0000' })
    await until(async () =>
      expect((await clinic.images()).commitments).toMatchObject([
        {
          state: 'waiting',
          attempts: 1,
          lastError: expect.stringMatching(/\S/),
          nextAt: expect.any(String),
        },
      ]),
    )
  }
  clock.ahead = 61_000
  await using device = await startAcceptor({ ...TAKING, port })
  await using clinic = await openImagingClinic(options)
  await until(async () =>
    expect((await clinic.images()).commitments).toMatchObject([
      { state: 'delivered', lastError: null },
    ]),
  )
  expect(device.messages).toHaveLength(1)
  expect(reported(device)).toMatchObject({
    eventTypeId: 1,
    transactionUid: TRANSACTION,
    committed: [sopUid(1)],
  })
})

it.concurrent('gives up a result that could not be delivered for 72 hours, and shows it', async () => {
  using temp = tempFolder()
  const clock = movableClock()
  const options = clinicWith(await freePort(), { folder: temp.folder, clock })
  {
    await using clinic = await openImagingClinic(options)
    await using modality = await clinic.modality()
    await modality.store(imageOf(1))
    await modality.askCommitment(TRANSACTION, [sopUid(1)])
    await until(async () =>
      expect((await clinic.images()).commitments).toMatchObject([
        { state: 'waiting', attempts: 1 },
      ]),
    )
  }
  clock.ahead = 73 * HOUR_MS
  await using clinic = await openImagingClinic(options)
  await until(async () =>
    expect((await clinic.images()).commitments).toMatchObject([
      { state: 'given-up', nextAt: null, lastError: expect.stringMatching(/\S/) },
    ]),
  )
})
