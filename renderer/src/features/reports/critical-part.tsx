import { Checkbox, Stack, Switch, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { CheckFinding } from '#shared/contract/reports.ts'
import { sectionsOf } from '#shared/report-text.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { type CommunicationValues, communicationFaults, newCommunication } from './communication.ts'
import { CommunicationFields } from './communication-fields.tsx'
import css from './reports.module.css'

const MAX_FINDING_CHARACTERS = 1000

/** The impression of a report, for its critical finding; empty where it is too long for one. */
function impressionOf(text: string): string {
  const found =
    sectionsOf(text)
      .find(({ heading }) => heading === 'Impression')
      ?.text.trim() ?? ''
  return found.length > MAX_FINDING_CHARACTERS ? '' : found
}

/**
 * Whether a report is critical, its critical finding, and whether and how someone was informed. The
 * finding initially contains the impression.
 */
export function useCritical(text: string) {
  const [isCritical, setIsCritical] = useState(false)
  const [typed, setTyped] = useState(() => impressionOf(text))
  const [wasTold, setWasTold] = useState(false)
  const told = useForm<CommunicationValues>({
    initialValues: newCommunication(new Date()),
    validate: communicationFaults,
  })
  return {
    ...{ isCritical, setIsCritical, typed, setTyped, wasTold, setWasTold, told },
    /** The finding in words; null where there are none. */
    finding: typed.trim() || null,
    isTold: isCritical && wasTold,
  }
}

/** @param fault why it cannot be signed as critical: said where it is to be written */
export function CriticalPart({
  critical,
  fault,
}: {
  critical: ReturnType<typeof useCritical>
  fault: CheckFinding | undefined
}) {
  const { isCritical, setIsCritical, typed, setTyped, wasTold, setWasTold, told } = critical
  return (
    <>
      <Switch
        label={t('ui.reports.sign.critical')}
        description={t('ui.reports.sign.criticalAbout')}
        checked={isCritical}
        onChange={(event) => setIsCritical(event.currentTarget.checked)}
      />
      {isCritical && (
        <Stack className={css.critical} gap={12}>
          <Textarea
            label={t('ui.reports.sign.finding')}
            description={fault && translateMessage(fault.sentence)}
            placeholder={t('ui.reports.sign.findingExample')}
            required
            autosize
            minRows={1}
            maxRows={4}
            maxLength={MAX_FINDING_CHARACTERS}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Checkbox
            label={t('ui.reports.sign.told')}
            description={t('ui.reports.sign.toldAbout')}
            checked={wasTold}
            onChange={(event) => setWasTold(event.currentTarget.checked)}
          />
          {wasTold && <CommunicationFields form={told} />}
        </Stack>
      )}
    </>
  )
}
