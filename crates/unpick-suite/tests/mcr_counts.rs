use std::collections::BTreeSet;
use unpick::{Config, Memory};
use unpick_suite::find;

#[test]
fn table() {
    for label in ["huang.fig3_1","huang.fig3_2","huang.fig5_6","huang.sb","huang.mp","huang.listing4_1","huang.fig5_3","huang.fig5_5","huang.fig3_9a:n=1","huang.counter:max=1","huang.counter:max=2","huang.ce1","huang.ce2","huang.sb_rfi","huang.peterson","huang.dekker"] {
        for model in Memory::ALL {
            let mut line = format!("{label} {}:", model.name());
            for technique in ["odpor", "mcr:mode=literal", "se-mcr:mode=literal", "mcr", "se-mcr"] {
                let selection = find(label).unwrap();
                let config = Config::new().strategy(technique).executions(200_000).keep_going(true).classes(true).memory(model);
                let found = unpick::explore(config, move || selection.run());
                line += &format!("  {technique} {}({}){}", found.executions, found.read_states().unwrap(), if found.complete {""} else {"!"});
                let _: BTreeSet<u8> = BTreeSet::new();
            }
            println!("{line}");
        }
    }
}
