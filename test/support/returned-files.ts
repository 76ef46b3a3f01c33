import { readFileSync, writeFileSync } from 'node:fs'
import type { Context } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import { findInstance, type InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { recordReturnedFile } from '#server/modules/images/local-file-queries.ts'

/**
 * Has the files of the instances returned when they are asked for after their removal, in place of
 * a tier. Called before they are removed. Returns the IDs of those that were returned.
 */
export function returnFiles(
  { database, imageFiles, uuid }: Context,
  stored: readonly InstanceRecord[],
): readonly number[] {
  const contents = new Map(
    stored.map(({ instanceId, file }) => [instanceId, readFileSync(imageFiles.pathOf(file))]),
  )
  const returned: number[] = []
  imageFiles.recall = (instanceId) => {
    const instance = findInstance(database, instanceId)
    const content = contents.get(instanceId)
    if (!instance || !content) throw new Error('Unknown instance')
    if (instance.localRemovedAt !== null) {
      returned.push(instanceId)
      const file = fileFor(instance.studyInstanceUid, uuid())
      writeFileSync(imageFiles.pathOf(file), content)
      recordReturnedFile(database, instanceId, { ...instance, file })
    }
    return {
      path: '',
      bytes: 0,
      isVerified: false,
      done: Promise.resolve(),
      onGrown: () => () => undefined,
    }
  }
  return returned
}
