import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { LifecycleRule, NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { deleteRule, findRule, listRules, saveRule } from './rule-queries.ts'

// The lifecycle rules. A rule is off until a person has previewed it and switched it on; a change
// switches it off. Every change is audited.

/** @throws ApiError not-found */
export function requireRule({ database }: Context, ruleId: string): LifecycleRule {
  const rule = findRule(database, ruleId)
  if (!rule) throw new ApiError('not-found', message('lifecycle.no-such-rule'))
  return rule
}

/** @throws ApiError refused if another rule has this name */
export const addRule = (context: Context, given: NewLifecycleRule, actor: Actor): LifecycleRule =>
  context.database.transaction(() => {
    const { database, clock, uuid } = context
    const at = instantOf(clock())
    const rule: LifecycleRule = {
      ...given,
      ...{ ruleId: uuid(), revision: 1, isPreviewed: false, isOn: false },
      ...{ createdAt: at, updatedAt: at },
    }
    requireUniqueName(context, rule)
    saveRule(database, rule)
    note(context, actor, 'lifecycle.rule-add', rule.ruleId, { ...given })
    return rule
  })

/** Changes a rule, which is off afterwards. @throws ApiError as `addRule`; not-found */
export const changeRule = (
  context: Context,
  ruleId: string,
  given: NewLifecycleRule,
  actor: Actor,
): LifecycleRule =>
  context.database.transaction(() => {
    const { database, clock } = context
    const before = requireRule(context, ruleId)
    const rule: LifecycleRule = {
      ...before,
      ...given,
      ...{ revision: before.revision + 1, isPreviewed: false, isOn: false },
      updatedAt: instantOf(clock()),
    }
    requireUniqueName(context, rule)
    saveRule(database, rule)
    note(context, actor, 'lifecycle.rule-update', ruleId, differences({ ...before }, { ...rule }))
    return rule
  })

/** @throws ApiError not-found */
export const removeRule = (context: Context, ruleId: string, actor: Actor): void =>
  context.database.transaction(() => {
    const { name } = requireRule(context, ruleId)
    deleteRule(context.database, ruleId)
    note(context, actor, 'lifecycle.rule-remove', ruleId, { name })
  })

/** Records that a person was shown what the rule would remove. */
export const recordRulePreview = (context: Context, { ruleId, revision }: LifecycleRule): void =>
  context.database.transaction(() => {
    const rule = findRule(context.database, ruleId)
    if (rule?.revision === revision) saveRule(context.database, { ...rule, isPreviewed: true })
  })

/**
 * Switches a rule on or off.
 * @throws ApiError not-found; refused if it was changed since the preview
 */
export const setRuleEnabled = (
  context: Context,
  ruleId: string,
  { isOn, revision }: { readonly isOn: boolean; readonly revision: number },
  actor: Actor,
): LifecycleRule =>
  context.database.transaction(() => {
    const before = requireRule(context, ruleId)
    if (isOn && (before.revision !== revision || !before.isPreviewed))
      throw new ApiError('refused', message('lifecycle.not-previewed'))
    if (before.isOn === isOn) return before
    const rule = { ...before, isOn, updatedAt: instantOf(context.clock()) }
    saveRule(context.database, rule)
    const { name } = rule
    note(context, actor, isOn ? 'lifecycle.rule-on' : 'lifecycle.rule-off', ruleId, {
      name,
      revision,
    })
    return rule
  })

function requireUniqueName({ database }: Context, { ruleId, name }: LifecycleRule): void {
  const isTaken = listRules(database).some(
    (other) => other.ruleId !== ruleId && other.name.toUpperCase() === name.toUpperCase(),
  )
  if (isTaken)
    throw new ApiError('refused', message('lifecycle.name-taken', { name }), {
      errors: [{ path: 'body.name', message: message('destinations.must-differ') }],
    })
}
