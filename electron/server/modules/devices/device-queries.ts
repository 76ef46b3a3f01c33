import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/flag.ts'
import type { Device } from '#shared/contract/devices.ts'

/** The clinic's devices; one row for each AE title (in any case) and address. */
export interface DevicesStore {
  /** By AE title, then name. */
  list(): Device[]
  get(deviceId: string): Device | undefined
  insert(device: Device): void
  /** Everything but the id, `createdAt` and what `noteSeen` writes. */
  update(device: Device): void
  remove(deviceId: string): boolean
  noteSeen(
    deviceId: string,
    seen: { readonly lastSeenAt: string; readonly lastAddress: string },
  ): void
}

export function devicesStore(db: Database): DevicesStore {
  const every = db.sql.selectFrom('devices').selectAll()
  return {
    list: () => db.all(every.orderBy('aeTitle').orderBy('name').orderBy('deviceId')).map(deviceOf),
    get(deviceId) {
      const row = db.get(every.where('deviceId', '=', deviceId))
      return row && deviceOf(row)
    },
    insert: (device) => void db.run(db.sql.insertInto('devices').values(rowOf(device))),
    update(device) {
      const { deviceId, createdAt: _, lastSeenAt: __, lastAddress: ___, ...changed } = rowOf(device)
      db.run(db.sql.updateTable('devices').set(changed).where('deviceId', '=', deviceId))
    },
    remove: (deviceId) =>
      db.run(db.sql.deleteFrom('devices').where('deviceId', '=', deviceId)).changes > 0,
    noteSeen: (deviceId, seen) =>
      void db.run(db.sql.updateTable('devices').set(seen).where('deviceId', '=', deviceId)),
  }
}

const rowOf = (device: Device) => ({
  ...device,
  isEnabled: flag(device.isEnabled),
  alwaysSendCharacterSet: flag(device.alwaysSendCharacterSet),
  hideStarted: flag(device.hideStarted),
  countsBytes: flag(device.countsBytes),
})

const deviceOf = (row: { [K in keyof Device]: unknown }): Device =>
  ({
    ...row,
    isEnabled: row.isEnabled === 1,
    alwaysSendCharacterSet: row.alwaysSendCharacterSet === 1,
    hideStarted: row.hideStarted === 1,
    countsBytes: row.countsBytes === 1,
  }) as Device
