import { Fieldset, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { CLINIC_ROLES, type ClinicRole, type Level } from '#shared/contract/people.ts'
import { useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { LEVEL_NAMES, ROLE_NAMES } from '../../format/roles.ts'
import { t } from '../../i18n/t.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { Notice } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import type { InvitationReply } from './changes.ts'
import { editObstacle } from './state.ts'
import {
  bodyOf,
  nameOf,
  type PersonValues,
  RIGHT_FIELDS,
  usualRights,
  valuesOf,
} from './user-values.ts'

/** Invites a person, or changes one. `like` is who is invited once more. */
export function PersonForm(props: {
  person: Person | null
  like?: Person | null
  onInvited: (invited: InvitationReply) => void
  onDone: () => void
}) {
  const { person, like = null, onInvited, onDone } = props
  const isOwner = useSession().data?.user?.level === 'owner'
  const invite = useSend(dashboardPeople.invitePerson, [dashboardPeople.people])
  const update = useSend(dashboardPeople.updatePerson, [dashboardPeople.people])
  const { form, submit } = useContractForm({
    operation: person ? dashboardPeople.updatePerson : dashboardPeople.invitePerson,
    initialValues: valuesOf(person ?? like),
    bodyOf: (values) => bodyOf(values, person),
    check: ({ clinicRole }) =>
      clinicRole === null ? { clinicRole: t('ui.users.form.chooseRole') } : {},
    send(body, onError) {
      if (person) {
        const onSuccess = () => {
          showDone(t('ui.users.saved', { name: nameOf(person) }))
          onDone()
        }
        return update.mutate({ params: { userId: person.userId }, body }, { onSuccess, onError })
      }
      const onSuccess = (invited: InvitationReply) => {
        onDone()
        onInvited(invited)
      }
      invite.mutate(
        { body: body as Parameters<typeof invite.mutate>[0]['body'] },
        { onSuccess, onError },
      )
    },
  })
  const obstacle = person && editObstacle(person, isOwner)

  return (
    <form onSubmit={submit} noValidate>
      <Fieldset variant="unstyled" disabled={Boolean(obstacle)}>
        <Stack>
          {obstacle && <Notice tone="info">{t(`ui.users.notEditable.${obstacle}`)}</Notice>}
          <Identity form={form} isInvited={person !== null} />
          {person && person.level !== person.interfaceLevel && (
            <Notice tone="info">
              {t('ui.users.form.interfaceLevel', { level: LEVEL_NAMES[person.interfaceLevel] })}
            </Notice>
          )}
          {/* An owner is made of a user by an owner; nobody is invited as one. */}
          <Rights
            form={form}
            isProposed={person === null}
            levels={person && isOwner ? ['member', 'admin', 'owner'] : ['member', 'admin']}
          />
          <FormEnd
            error={invite.error ?? update.error}
            cancel={t('ui.users.form.cancel')}
            submit={person ? t('ui.users.form.save') : t('ui.users.form.submit')}
            isBusy={invite.isPending || update.isPending}
            onCancel={onDone}
          />
        </Stack>
      </Fieldset>
    </form>
  )
}

type Form = UseFormReturnType<PersonValues>

const Identity = ({ form, isInvited }: { form: Form; isInvited: boolean }) => (
  <>
    <Text fw={600}>{t('ui.users.form.who')}</Text>
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label={t('ui.users.form.firstName')}
        required
        data-autofocus
        {...form.getInputProps('firstName')}
      />
      <TextInput label={t('ui.users.form.lastName')} required {...form.getInputProps('lastName')} />
    </SimpleGrid>
    <TextInput
      label={t('ui.users.form.email')}
      description={t('ui.users.form.emailAbout')}
      type="email"
      required
      readOnly={isInvited}
      {...form.getInputProps('email')}
    />
    <Select
      label={t('ui.users.form.clinicRole')}
      placeholder={t('ui.users.form.roleAbout')}
      data={CLINIC_ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
      allowDeselect={false}
      required
      searchable
      {...form.getInputProps('clinicRole')}
      onChange={(role) => {
        const clinicRole = role as ClinicRole
        form.setValues({ clinicRole, ...(!isInvited && usualRights(clinicRole)) })
      }}
    />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label={t('ui.users.form.middleName')} {...form.getInputProps('middleName')} />
      <TextInput
        label={t('ui.users.form.phoneNumber')}
        placeholder={t('ui.users.form.phoneAbout')}
        inputMode="tel"
        {...form.getInputProps('phoneNumber')}
      />
      <TextInput label={t('ui.users.form.suffix1')} {...form.getInputProps('suffix1')} />
      <TextInput label={t('ui.users.form.suffix2')} {...form.getInputProps('suffix2')} />
    </SimpleGrid>
  </>
)

const Rights = ({
  form,
  isProposed,
  levels,
}: {
  form: Form
  isProposed: boolean
  levels: readonly Level[]
}) => (
  <>
    <div>
      <Text fw={600}>{t('ui.users.form.rights')}</Text>
      {isProposed && (
        <Text size="sm" c="dimmed">
          {t('ui.users.form.rightsProposed')}
        </Text>
      )}
    </div>
    <Select
      label={t('ui.users.form.level')}
      description={t('ui.users.form.levelAbout')}
      allowDeselect={false}
      data={levels.map((level) => ({ value: level, label: LEVEL_NAMES[level] }))}
      {...form.getInputProps('level')}
    />
    {RIGHT_FIELDS.map((name) => (
      <Switch
        key={name}
        label={t(`ui.users.form.${name}.label`)}
        description={t(`ui.users.form.${name}.description`)}
        {...form.getInputProps(name, { type: 'checkbox' })}
      />
    ))}
    <TextInput
      label={t('ui.users.form.npiNumber')}
      description={t('ui.users.form.npiAbout')}
      inputMode="numeric"
      maxLength={10}
      {...form.getInputProps('npiNumber')}
    />
  </>
)
