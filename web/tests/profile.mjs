// Makes the profile of which each Firefox of the tests gets a copy: node tests/profile.mjs, with
// FIREFOX_HOME (web/test.sh).

import { useProfile } from './helpers.mjs';

await useProfile();
