// All scenarios by name, and the choice of one for a request that names none.
import type { CallFacts } from './ask.ts';
import type { Scenario, ScenarioKnobs } from './scenario.ts';
import type { ShapedScript } from './script.ts';
import { shapeScript } from './shape.ts';
import { taskOf, taskScenarios } from './task-scenario.ts';
import { textScenarios } from './text-scenarios.ts';
import { toolScenarios } from './tool-scenarios.ts';
import { usageScenarios } from './usage-scenarios.ts';
import { vendorScenarios } from './vendor-scenarios.ts';

const table = { ...textScenarios, ...toolScenarios, ...usageScenarios, ...vendorScenarios, ...taskScenarios };

export type ScenarioName = keyof typeof table;

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = table;

export function scenarioNames(): readonly ScenarioName[] {
  return Object.keys(scenarios) as ScenarioName[];
}

export function defaultScenario(ask: CallFacts): ScenarioName {
  if (taskOf(ask) !== undefined) return 'task';
  if (ask.toolResults.length > 0) return 'after-tool-result';
  if (ask.wantsPicture === true) return 'image';
  const mustCall = ask.toolChoice === 'required' || typeof ask.toolChoice === 'object';
  if (mustCall && ask.tools.length > 0) return 'tool-single';
  if (ask.output.kind === 'schema') return 'json-schema';
  return ask.output.kind === 'json' ? 'json-object' : 'text-basic';
}

export function performScenario(name: ScenarioName, ask: CallFacts, knobs: ScenarioKnobs): ShapedScript {
  const { script } = scenarios[name];
  return shapeScript(typeof script === 'function' ? script(ask, knobs) : script, ask);
}
