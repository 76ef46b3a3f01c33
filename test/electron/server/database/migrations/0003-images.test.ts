import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { init } from '#server/database/migrations/0001-init.ts'
import { interfaceTables } from '#server/database/migrations/0002-interface.ts'
import { rawQuery } from '#server/database/query.ts'
import {
  findDevice,
  insertDevice,
  listDevices,
  updateDevice,
} from '#server/modules/devices/device-queries.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'

/** A database as the second release left it, with two devices and a study of the interface. */
function second(file: string): void {
  Database.open(file, { migrations: [init, interfaceTables] })[Symbol.dispose]()
  const old = new Sqlite(file)
  old.exec(`
    insert into devices values ('d1', 'CT1', '10.0.3.7', 'CT room 1', 'CT', 1, 'ISO_IR 100', 'strict', 1, 2, null, 500, '${AT}', '${AT}', '${AT}', '10.0.3.7');
    insert into devices values ('d2', 'US1', null, 'US', null, 0, null, 'echo', 0, null, null, null, '${AT}', '${AT}', null, null);
    insert into studies (studyId, area, studyInstanceUid, studyDescription, descriptionFolded, severity, status, createdAt, updatedAt)
      values ('stu_1', 'scribe', '1.2.3', 'CT', 'ct', 'normal', 'unassigned', '${AT}', '${AT}');
  `)
  old.close()
}

describe('the third schema', () => {
  it('keeps the devices and studies of the second', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    second(file)
    using db = Database.open(file)
    const added = {
      port: null,
      profile: 'standard',
      hideStarted: false,
      countsBytes: false,
      tls: 'optional',
      certificate: null,
      retrieval: 'none',
    }
    expect(listDevices(db)).toEqual([
      {
        ...{
          deviceId: 'd1',
          aeTitle: 'CT1',
          address: '10.0.3.7',
          name: 'CT room 1',
          modality: 'CT',
          isEnabled: true,
        },
        ...{
          characterSet: 'ISO_IR 100',
          stationMode: 'strict',
          alwaysSendCharacterSet: true,
          daysBack: 2,
          daysForward: null,
          maxRows: 500,
        },
        ...{ createdAt: AT, updatedAt: AT, lastSeenAt: AT, lastAddress: '10.0.3.7', ...added },
      },
      {
        ...{
          deviceId: 'd2',
          aeTitle: 'US1',
          address: null,
          name: 'US',
          modality: null,
          isEnabled: false,
          characterSet: null,
        },
        ...{
          stationMode: 'echo',
          alwaysSendCharacterSet: false,
          daysBack: null,
          daysForward: null,
          maxRows: null,
        },
        ...{ createdAt: AT, updatedAt: AT, lastSeenAt: null, lastAddress: null, ...added },
      },
    ])
    expect(db.all(db.sql.selectFrom('studies').select(['studyId', 'studyInstanceUid']))).toEqual([
      { studyId: 'stu_1', studyInstanceUid: '1.2.3' },
    ])
    expect(db.all(db.sql.selectFrom('imageStudies').selectAll())).toEqual([])
  })

  it('keeps every field of a device that is new in it', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'gateway.sqlite')
    second(file)
    using db = Database.open(file)

    const device = findDevice(db, 'd1')
    if (!device) throw new Error('The device is gone')
    const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----'
    const changed = {
      ...device,
      port: 104,
      profile: 'ge',
      hideStarted: true,
      countsBytes: true,
      tls: 'mutual',
      certificate,
    } as const
    updateDevice(db, changed)
    expect(findDevice(db, 'd1')).toEqual(changed)
    insertDevice(db, { ...changed, deviceId: 'd3', aeTitle: 'CT3' })
    expect(findDevice(db, 'd3')).toEqual({ ...changed, deviceId: 'd3', aeTitle: 'CT3' })
    expect(() => updateDevice(db, { ...changed, port: 70_000 })).toThrow('CHECK constraint failed')
  })

  it('leaves the answers of the interface as they were while images come', () => {
    using temp = tempFolder()
    using db = Database.open(join(temp.folder, 'gateway.sqlite'))
    const before = db.changeCount
    for (const text of [
      'update instances set detail = detail',
      'update "imageStudies" set bytes = bytes',
      'delete from imageSeries',
      'update forwards set attempts = attempts',
      'delete from commitments',
      'delete from performedSteps',
      'delete from receivedSteps',
    ])
      db.run(rawQuery(text, []))
    expect(db.changeCount).toBe(before)
    db.run(db.sql.deleteFrom('studies'))
    expect(db.changeCount).toBe(before + 1)
  })
})
