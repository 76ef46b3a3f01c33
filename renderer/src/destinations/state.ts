import type { Destination } from '#shared/contract/destinations.ts'
import { t } from '../i18n/t.ts'
import { words } from './words.ts'

type DestinationState = keyof typeof words.states

/** How a destination stands: what asks for a person first. */
export function stateOf({
  isEnabled,
  queue,
  lastError,
  lastSentAt,
}: Destination): DestinationState {
  if (queue.failed > 0) return 'failed'
  if (!isEnabled) return 'off'
  if (queue.waiting > 0) return lastError ? 'retrying' : 'sending'
  return lastSentAt === null ? 'unused' : 'idle'
}

/** What goes there by itself, in words. */
export function getsText({
  isAutomatic,
  modalities,
}: Pick<Destination, 'isAutomatic' | 'modalities'>): string {
  if (!isAutomatic) return t('ui.destinations.gets.none')
  return modalities.length === 0 ? t('ui.destinations.gets.all') : words.gets.some(modalities)
}
