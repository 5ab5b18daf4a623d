# Numbers of layers: which layers differ first and most. Layer 2 differs from step 12 on, layer 1 from step 16; layer 0 and the embedding agree.
$ mkdir a b; for i in $(seq 0 29); do echo '{"step":'$i',"scalars":{"loss":2.5,"grad_norm/embed":1.'$((10+i))',"grad_norm/layers.0":2.'$((10+i))',"grad_norm/layers.1":3.'$((10+i))',"grad_norm/layers.2":4.'$((10+i))',"act_rms/layers.1":0.5}}'; done >a/steps.jsonl; sed 's/layers.2":4\.\([23]\)\([2-9]\)/layers.2":5.\1\2/; s/layers.1":3\.\(2[6-9]\|3.\)/layers.1":3.5\1/' a/steps.jsonl >b/steps.jsonl; tscope push -q a b
| name       id            steps   sent    new  outcome
| default/a  b404acfeca99     30 SIZE SIZE  created
| default/b  737e45f8b584     30 SIZE SIZE  created
| 2 runs: 2 created
$ tscope diff a b | sed -n '/^LAYERS/,/^$/p'
| LAYERS  4 layers compared, 2 differ, 2 agree to the bit
|   layer     number     from step  largest r  at step  r end
|   layers.2  grad_norm         12       0.19       12      -
|   layers.1  grad_norm         16      0.075       16      -
|
$ tscope diff --json a b | jq -c '.layers | .rows[], del(.rows)'
| {"layer":"layers.2","what":"grad_norm","series":"scalars.grad_norm/layers\\.2","rank":0,"first_step":12,"visible_step":12,"greatest_ratio":0.19157088122605365,"greatest_step":12,"end_ratio":"NaN"}
| {"layer":"layers.1","what":"grad_norm","series":"scalars.grad_norm/layers\\.1","rank":0,"first_step":16,"visible_step":16,"greatest_ratio":0.07543959160521839,"greatest_step":16,"end_ratio":"NaN"}
| {"layer_count":4,"differing_count":2,"within_count":0,"cut":false}
$ tscope diff --html page.html a b >/dev/null; grep -c '<h2>LAYERS</h2>' page.html
| 1
! tscope: wrote page.html
# Layers that agree are no section.
$ cp -r a c; sed -i 's/"loss":2.5/"loss":2.25/' c/steps.jsonl; tscope push -q c >/dev/null; tscope diff a c | grep -c LAYERS; tscope diff --json a c | jq -c .layers
| 0
| {"layer_count":4,"differing_count":0,"within_count":0,"cut":false,"rows":[]}
