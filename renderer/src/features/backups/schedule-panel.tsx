import { Button, NumberInput, type NumberInputProps, Switch, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { type BackupsState, dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import type { Message } from '#shared/messages/message.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'
import css from './backups.module.css'
import { FolderForm } from './folder-form.tsx'
import { changesOf, faultsOf, INITIAL_SCHEDULE, type Plan } from './schedule.ts'

/** Where, when and for how long backups are kept; each is changed where it stands. */
export function PlanPanel({ state }: { state: BackupsState }) {
  const [edited, setEdited] = useState<Partial<Plan>>({})
  const save = useSend(dashboard.changeSettings, [dashboardBackups.state, dashboard.settings])
  const plan: Plan = { ...state.plan, ...edited }
  const changes = changesOf(state.plan, plan)
  const isChanged = Object.keys(changes).length > 0
  const faults = faultsOf(plan)
  const edit = (part: Partial<Plan>) => setEdited({ ...edited, ...part })
  const number = (name: 'everyMinutes' | 'keepDaily' | 'keepWeekly' | 'keepMonthly') => ({
    value: Number.isNaN(plan[name]) ? '' : (plan[name] ?? ''),
    allowDecimal: false,
    clampBehavior: 'none' as const,
    error: faults[name] && translateMessage(faults[name]),
    onChange: (value: number | string) =>
      edit({ [name]: typeof value === 'number' ? value : Number.NaN }),
  })
  const submit = () =>
    save.mutate(
      { body: { settings: changes } },
      {
        onSuccess: () => {
          showDone(t('ui.backups.plan.saved'))
          setEdited({})
        },
      },
    )
  return (
    <Panel title={t('ui.backups.plan.title')}>
      <FolderForm folder={state.folder} />
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <DailyField plan={plan} before={state.plan} fault={faults.dailyAt} onEdit={edit} />
        <FrequencyField
          plan={plan}
          before={state.plan}
          number={number('everyMinutes')}
          onEdit={edit}
        />
        <Row
          label={t('ui.backups.plan.continuous.label')}
          about={t('ui.backups.plan.continuous.description')}
        >
          <Switch
            className={css.switch}
            aria-label={t('ui.backups.plan.continuous.label')}
            label={plan.isContinuous ? t('ui.backups.plan.on') : t('ui.backups.plan.off')}
            checked={plan.isContinuous}
            onChange={({ currentTarget }) => edit({ isContinuous: currentTarget.checked })}
          />
        </Row>
        <Row label={t('ui.backups.plan.keep.label')} about={t('ui.backups.plan.keep.description')}>
          <NumberInput
            label={t('ui.backups.plan.days')}
            w={100}
            min={1}
            max={90}
            {...number('keepDaily')}
          />
          <NumberInput
            label={t('ui.backups.plan.weeks')}
            w={100}
            min={0}
            max={52}
            {...number('keepWeekly')}
          />
          <NumberInput
            label={t('ui.backups.plan.months')}
            w={100}
            min={0}
            max={60}
            {...number('keepMonthly')}
          />
        </Row>
        {save.error && <ErrorNotice error={save.error} />}
        {isChanged && (
          <div className={css.bar}>
            <Button variant="default" onClick={() => setEdited({})}>
              {t('ui.backups.plan.discard')}
            </Button>
            <PermissionButton
              type="submit"
              permission="manageGateway"
              loading={save.isPending}
              disabled={Object.keys(faults).length > 0}
            >
              {t('ui.backups.plan.save')}
            </PermissionButton>
          </div>
        )}
      </form>
      <div className={css.outside}>{t('ui.backups.plan.outside')}</div>
    </Panel>
  )
}

interface PlanFieldProps {
  readonly plan: Plan
  /** As the gateway has it: what a part that is switched off and on again goes back to. */
  readonly before: Plan
  readonly onEdit: (part: Partial<Plan>) => void
}

function DailyField({
  plan,
  before,
  fault,
  onEdit,
}: PlanFieldProps & { fault: Message | undefined }) {
  return (
    <Row label={t('ui.backups.plan.daily.label')} about={t('ui.backups.plan.daily.description')}>
      <Switch
        className={css.switch}
        aria-label={t('ui.backups.plan.daily.label')}
        label={plan.dailyAt === null ? t('ui.backups.plan.off') : t('ui.backups.plan.on')}
        checked={plan.dailyAt !== null}
        onChange={({ currentTarget }) =>
          onEdit({
            dailyAt: currentTarget.checked ? (before.dailyAt ?? INITIAL_SCHEDULE.dailyAt) : null,
          })
        }
      />
      {plan.dailyAt !== null && (
        <TextInput
          aria-label={t('ui.backups.plan.at')}
          leftSection={<InlineLabel>{t('ui.backups.plan.at')}</InlineLabel>}
          leftSectionWidth={t('ui.backups.plan.at').length * 8 + 22}
          w={t('ui.backups.plan.at').length * 8 + 100}
          maxLength={5}
          placeholder={INITIAL_SCHEDULE.dailyAt}
          value={plan.dailyAt}
          error={fault && translateMessage(fault)}
          onChange={({ currentTarget }) => onEdit({ dailyAt: currentTarget.value })}
        />
      )}
    </Row>
  )
}

function FrequencyField({
  plan,
  before,
  number,
  onEdit,
}: PlanFieldProps & { number: NumberInputProps }) {
  return (
    <Row label={t('ui.backups.plan.often.label')} about={t('ui.backups.plan.often.description')}>
      <Switch
        className={css.switch}
        aria-label={t('ui.backups.plan.often.label')}
        label={plan.everyMinutes === null ? t('ui.backups.plan.off') : t('ui.backups.plan.on')}
        checked={plan.everyMinutes !== null}
        onChange={({ currentTarget }) =>
          onEdit({
            everyMinutes: currentTarget.checked
              ? (before.everyMinutes ?? INITIAL_SCHEDULE.everyMinutes)
              : null,
          })
        }
      />
      {plan.everyMinutes !== null && (
        <NumberInput
          aria-label={t('ui.backups.plan.every')}
          leftSection={<InlineLabel>{t('ui.backups.plan.every')}</InlineLabel>}
          leftSectionWidth={t('ui.backups.plan.every').length * 8 + 22}
          w={t('ui.backups.plan.every').length * 8 + 130}
          {...{ min: 5, max: 1440, step: 5, suffix: t('ui.backups.plan.minutes') }}
          {...number}
        />
      )}
    </Row>
  )
}

/** The name of a field within it. */
const InlineLabel = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed" aria-hidden>
    {children}
  </Text>
)

const Row = ({ label, about, children }: { label: string; about: string; children: ReactNode }) => (
  <div className={css.row}>
    <div>
      <div className={css.label}>{label}</div>
      <div className={css.about}>{about}</div>
    </div>
    <div className={css.fields}>{children}</div>
  </div>
)
