import type { Context } from '#server/context.ts'
import { TierConnections } from '#server/modules/tiers/stores.ts'
import { listTiers, type TierRecord } from '#server/modules/tiers/tier-queries.ts'
import { Verifications } from '#server/modules/tiers/verification.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand, RunningGateway } from './command.ts'

/** Commands for the tiers behind the local folder. */
export const TIER_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'tiers list': {
    usage: '',
    about: 'print the tiers with the number of images that they hold',
    options: {},
    run: ({ database }) =>
      listTiers(database)
        .map(({ name, settings, isEnabled, storedInstances, storedBytes, lastError }) =>
          [
            name,
            settings.kind,
            isEnabled ? 'on' : 'off',
            `${storedInstances} images`,
            `${storedBytes} bytes`,
            ...(lastError ? [englishText(lastError)] : []),
          ].join('\t'),
        )
        .join('\n'),
  },
  'tiers verify': {
    usage: '[--tier NAME] [--quick]',
    about:
      'compare the objects in the stores with their records, and print those that are missing or changed; exit code 1 if there are any',
    options: {
      tier: { type: 'string', takes: 'NAME', about: 'Only this tier; all by default.' },
      quick: {
        type: 'boolean',
        about: 'Compare the list of objects and their lengths only, without reading them.',
      },
    },
    async run(context, { options }, gateway) {
      const s3Tiers = s3TiersNamed(context, options.tier)
      return await withVerifications(context, gateway, async (verifications) => {
        const lines: string[] = []
        let isSound = true
        for (const tier of s3Tiers) {
          const { verification, faults } = await verifications.run(tier, options.quick === true)
          const { state, checked, missing, changed, repaired, fault } = verification
          isSound &&= state === 'done' && missing + changed === 0
          lines.push(...faults.map(({ key, found }) => `${tier.name}\t${found}\t${key}`))
          const counts = `${checked} checked, ${missing} missing, ${changed} changed`
          const outcomeText = fault
            ? `stopped: ${englishText(fault)}`
            : `${repaired} queued to be copied again`
          lines.push(`${tier.name}: ${counts}, ${outcomeText}`)
        }
        if (!isSound) throw new ApiError('refused', verbatim(lines.join('\n')))
        return lines.join('\n')
      })
    },
  },
}

function s3TiersNamed({ database }: Context, name: unknown): TierRecord[] {
  const stores = listTiers(database).filter(
    (tier) => tier.settings.kind === 's3' && (name === undefined || tier.name === name),
  )
  if (stores.length === 0 && name !== undefined)
    throw new ApiError('not-found', verbatim(`There is no object store named ${name}.`))
  return stores
}

async function withVerifications<T>(
  context: Context,
  gateway: RunningGateway | undefined,
  work: (verifications: Pick<Verifications, 'run'>) => Promise<T>,
): Promise<T> {
  if (gateway) return await work(gateway.verifications)
  await using connections = new TierConnections(context, () => false)
  await using verifications = new Verifications(context, connections)
  return await work(verifications)
}
