import { ActionIcon, Text, TextInput, Tooltip } from '@mantine/core'
import { IconArrowRight, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import type { PriorReport } from '#shared/contract/reports.ts'
import { priorsMatching, priorTitle } from '../../format/patient.ts'
import { t } from '../../i18n/t.ts'
import { Tag } from '../../ui/tone.tsx'
import { HighlightedText } from './marked.tsx'
import { Part } from './part.tsx'
import css from './reports.module.css'

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
  const found = priorsMatching(priors, search)
  return (
    <Part
      title={t('ui.reports.priors.title')}
      aside={
        priors.length > 0 && (
          <span className={css.quiet}>{t('ui.reports.priors.found', { count: found.length })}</span>
        )
      }
    >
      {priors.length === 0 && (
        <Text fz={12.5} c="dimmed">
          {t('ui.reports.priors.none')}
        </Text>
      )}
      {priors.length > 0 && (
        <TextInput
          size="xs"
          aria-label={t('ui.reports.priors.search')}
          placeholder={t('ui.reports.priors.search')}
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {priors.length > 0 && found.length === 0 && (
        <Text fz={12.5} c="dimmed" role="status">
          {t('ui.reports.priors.noneFound')}
        </Text>
      )}
      {found.map((prior, index) => {
        const title = priorTitle(prior)
        return (
          <details
            // biome-ignore lint/suspicious/noArrayIndexKey: a prior of a partner has no identifier
            key={`${index} ${title}`}
            className={css.prior}
            open={search.trim() !== '' || (index === 0 && priors.length === 1)}
          >
            <summary>
              <span className={css.priorTitle}>{title}</span>
              <Tag
                tone="plain"
                meaning={t(`ui.reports.priors.sources.${prior.source}.description`)}
              >
                {t(`ui.reports.priors.sources.${prior.source}.label`)}
              </Tag>
            </summary>
            {onInsert && prior.studyDate && (
              <Tooltip label={t('ui.reports.priors.compare')}>
                <ActionIcon
                  size="xs"
                  className={css.priorUse}
                  aria-label={`${title}: ${t('ui.reports.priors.compare').toLowerCase()}`}
                  onClick={() => onInsert(title)}
                >
                  <IconArrowRight size={14} />
                </ActionIcon>
              </Tooltip>
            )}
            <p className={css.said}>
              <HighlightedText text={prior.text} search={search} />
            </p>
          </details>
        )
      })}
    </Part>
  )
}
