import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import {
  addDestination,
  removeDestination,
  updateDestination,
} from '#server/modules/forwarding/destinations.ts'
import { countForwardsTo } from '#server/modules/forwarding/forward-queries.ts'
import { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import type { DataCommand } from './command.ts'
import {
  ACTOR,
  findRecord,
  formatTable,
  LIST_OPTIONS,
  requireChange,
  requireNoArguments,
  usageOf,
  withoutDefaults,
} from './record-command.ts'
import { schemaOptions } from './schema-options.ts'

const addOptions = schemaOptions(NewDestination)
const changeOptions = schemaOptions(DestinationPatch)

const RECORD_NAMES = {
  kind: 'destination',
  id: 'destinationId',
  others: ['aeTitle', 'name'],
} as const

/**
 * Commands for destinations. A running gateway makes the change itself, because it has a worker for
 * each destination.
 */
export const DESTINATION_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'destination add': {
    usage: usageOf(addOptions.options),
    about: 'add a DICOM node to which images are sent, and print its id',
    options: addOptions.options,
    run(context, { arguments: words, options }, gateway) {
      requireNoArguments('destination add', words)
      const destination = addOptions.read(options)
      const added = addOptions.withOptionNames(() =>
        gateway
          ? gateway.forwarding.add(destination, ACTOR)
          : addDestination(context, destination, ACTOR),
      )
      return added.destinationId
    },
  },
  'destination update': {
    usage: 'DESTINATION [OPTION …]',
    about: 'change a destination, named by its id, AE title or name; print its id',
    options: withoutDefaults(changeOptions.options),
    run(context, { arguments: words, options }, gateway) {
      const all = listDestinations(context.database)
      const { destinationId } = findRecord('destination update', words, all, RECORD_NAMES)
      const patch = changeOptions.read(options)
      requireChange('destination update', patch)
      changeOptions.withOptionNames(() =>
        gateway
          ? gateway.forwarding.update(destinationId, patch, ACTOR)
          : updateDestination(context, destinationId, patch, ACTOR),
      )
      return destinationId
    },
  },
  'destination remove': {
    usage: 'DESTINATION',
    about:
      'remove a destination that has no waiting or failed images, named by its id, AE title or name; print its id',
    options: {},
    run(context, { arguments: words }, gateway) {
      const all = listDestinations(context.database)
      const { destinationId } = findRecord('destination remove', words, all, RECORD_NAMES)
      if (gateway) gateway.forwarding.remove(destinationId, ACTOR)
      else removeDestination(context, destinationId, ACTOR)
      return destinationId
    },
  },
  'destination list': {
    usage: '[--json]',
    about: 'print the destinations as a table, with waiting and failed images',
    options: LIST_OPTIONS,
    run({ database }, { arguments: words, options }) {
      requireNoArguments('destination list', words)
      const all = listDestinations(database).map((destination) => ({
        ...destination,
        queue: countForwardsTo(database, destination.destinationId),
      }))
      if (options.json === true) return JSON.stringify(all)
      const yesNo = (isSo: boolean) => (isSo ? 'yes' : 'no')
      return formatTable(
        [
          'ID',
          'NAME',
          'AE TITLE',
          'HOST',
          'PORT',
          'TLS',
          'ENABLED',
          'AUTOMATIC',
          'WAITING',
          'FAILED',
        ],
        all.map((one) => [
          ...[one.destinationId, one.name, one.aeTitle, one.host, String(one.port)],
          ...[yesNo(one.isTls), yesNo(one.isEnabled), yesNo(one.isAutomatic)],
          ...[String(one.queue.waiting), String(one.queue.failed)],
        ]),
      )
    },
  },
}
