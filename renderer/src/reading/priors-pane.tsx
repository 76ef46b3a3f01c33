import { ActionIcon, Text, TextInput, Tooltip } from '@mantine/core'
import { IconArrowRight, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { PriorReport } from '#shared/contract/reports.ts'
import { Tag } from '../components/tone.tsx'
import { Marked } from './marked.tsx'
import { Part } from './part.tsx'
import { priorsWith, priorTitle } from './patient.ts'
import css from './reading.module.css'
import { words } from './words.ts'

const { priors: texts } = words

/** Earlier reports wherever they are from, newest first; what is searched for is marked in them. */
export function PriorsPane({
  priors,
  onInsert,
}: {
  priors: readonly PriorReport[]
  onInsert: ((text: string) => void) | null
}) {
  // Not in the address: what is searched for may name a patient.
  const [search, setSearch] = useState('')
  const found = priorsWith(priors, search)
  return (
    <Part
      title={texts.title}
      aside={priors.length > 0 && <span className={css.quiet}>{texts.found(found.length)}</span>}
    >
      {priors.length === 0 && (
        <Text fz={12.5} c="dimmed">
          {texts.none}
        </Text>
      )}
      {priors.length > 0 && (
        <TextInput
          size="xs"
          aria-label={texts.search}
          placeholder={texts.search}
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {priors.length > 0 && found.length === 0 && (
        <Text fz={12.5} c="dimmed" role="status">
          {texts.noneFound}
        </Text>
      )}
      {found.map((prior, index) => {
        const title = priorTitle(prior)
        const [source, meaning] = texts.sources[prior.source]
        return (
          <details
            // biome-ignore lint/suspicious/noArrayIndexKey: a prior of a partner has no identifier
            key={`${index} ${title}`}
            className={css.prior}
            open={search.trim() !== '' || (index === 0 && priors.length === 1)}
          >
            <summary>
              <span className={css.priorTitle}>{title}</span>
              <Tag tone="plain" meaning={meaning}>
                {source}
              </Tag>
            </summary>
            {onInsert && prior.studyDate && (
              <Tooltip label={texts.compare}>
                <ActionIcon
                  size="xs"
                  className={css.priorUse}
                  aria-label={`${title}: ${texts.compare.toLowerCase()}`}
                  onClick={() => onInsert(title)}
                >
                  <IconArrowRight size={14} />
                </ActionIcon>
              </Tooltip>
            )}
            <p className={css.said}>
              <Marked text={prior.text} search={search} />
            </p>
          </details>
        )
      })}
    </Part>
  )
}
