// What stands in braces in a scenario: {n} is new for each run, {target} the first id of the run's target, {0} the id that the
// first step's answer began with, {1} the second's.

export const fillIn = (text, { n, target, ids }) =>
  text.includes('{')
    ? text.replace(/\{(n|target|\d)\}/g, (_, name) => (name === 'n' ? n : name === 'target' ? target[0] : ids[name]))
    : text
