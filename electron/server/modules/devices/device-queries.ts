import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { Device } from '#shared/contract/devices.ts'

// One row per AE title (ignoring case) and address.

const selectDevices = (database: Database) => database.sql.selectFrom('devices').selectAll()

/** Lists all devices, ordered by AE title, then name. */
export const listDevices = (database: Database): Device[] =>
  database
    .all(selectDevices(database).orderBy('aeTitle').orderBy('name').orderBy('deviceId'))
    .map(deviceOf)

export function findDevice(database: Database, deviceId: string): Device | undefined {
  const row = database.get(selectDevices(database).where('deviceId', '=', deviceId))
  return row && deviceOf(row)
}

export function insertDevice(database: Database, device: Device): void {
  database.run(database.sql.insertInto('devices').values(rowOf(device)))
}

/** Updates everything except the id, `createdAt`, `lastSeenAt` and `lastAddress`. */
export function updateDevice(database: Database, device: Device): void {
  const { deviceId, createdAt: _, lastSeenAt: __, lastAddress: ___, ...changed } = rowOf(device)
  database.run(database.sql.updateTable('devices').set(changed).where('deviceId', '=', deviceId))
}

export const deleteDevice = (database: Database, deviceId: string): boolean =>
  database.run(database.sql.deleteFrom('devices').where('deviceId', '=', deviceId)).changes > 0

export function updateDeviceSeen(
  database: Database,
  deviceId: string,
  seen: { readonly lastSeenAt: string; readonly lastAddress: string },
): void {
  database.run(database.sql.updateTable('devices').set(seen).where('deviceId', '=', deviceId))
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
