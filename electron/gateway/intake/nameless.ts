import { existsSync } from 'node:fs'
import type { InstanceRecord } from '#gateway/store/instances.ts'
import type { IntakeDeps, News } from './ports.ts'

/**
 * Removes rows whose file is not there: the power went after the row was durable and before the file's name was, which are made so side by side. Its
 * sender was not told Success and has it still. Only rows that may have been under way then are looked at. Where most of them have no file, the
 * images themselves are missing, such as a disk that is not mounted: then nothing is removed, and a person is told.
 */
export function removeNameless({ store, setting, onNews }: Pick<IntakeDeps, 'store' | 'setting' | 'onNews'>): void {
  const { database, imageFiles, instances } = store
  const underWay = instances.newest(setting('dimse.maxAssociations'))
  const nameless = underWay.filter(({ file }) => !existsSync(imageFiles.pathOf(file)))
  if (nameless.length === 0) return
  const say = (tone: News['tone'], text: string) =>
    onNews({ kind: 'disk', tone, text, aeTitle: '', address: '', associationId: '', studyInstanceUid: null })
  if (underWay.length > 1 && nameless.length * 2 > underWay.length) {
    say('danger', 'Most of the newest images are not in the image folder. Is its disk there? Nothing was removed from the database.')
    return
  }
  database.transaction(() => {
    for (const instance of nameless) remove(store, instance)
  })
  const count = `${nameless.length} ${nameless.length === 1 ? 'object' : 'objects'}`
  say('warning', `${count} of a transfer that was cut off by a power failure: removed, the sender was not told Success.`)
}

function remove({ instances, imageStudies }: IntakeDeps['store'], { instanceId, sopInstanceUid, studyInstanceUid }: InstanceRecord): void {
  instances.remove(instanceId)
  // The one whose place it had taken.
  const before = instances.versions(sopInstanceUid)
  const last = before.findLast(({ state }) => state === 'superseded')
  if (last && !before.some(({ state }) => state === 'current')) instances.setState(last.instanceId, 'current')
  imageStudies.recount(studyInstanceUid)
}
