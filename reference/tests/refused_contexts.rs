//! Contexts and builders that a document does not get: because it is not allowed to use WebNN, or because no platform
//! supports what it asks for. No vector can ask for either.

use std::rc::Rc;

use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::cpu::Cpu;
use webnn_reference::exception::{ExceptionName, Result};
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::platform::Platform;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_reference::webgpu::GPUDevice;

/// Supports nothing.
struct Nothing;

impl PlatformProvider for Nothing {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        None
    }
}

/// Both ways to ask for a context, with the algorithm of each.
fn both(global: &Global, ml: &ML) -> [(&'static str, Result<MLContext>); 2] {
    let device = GPUDevice::new(Rc::new(()));
    [
        ("ML.createContext(options)", global.settle(&ml.create_context(MLContextOptions::default()))),
        ("ML.createContext(gpuDevice)", global.settle(&ml.create_context_for_device(device))),
    ]
}

fn assert_refused(refused: [(&'static str, Result<MLContext>); 2], name: ExceptionName, step: &str) {
    for (algorithm, result) in refused {
        let exception = result.unwrap_err();
        assert_eq!((exception.name, exception.algorithm, exception.step), (name, algorithm, step));
    }
}

#[test]
fn a_document_that_is_not_allowed_gets_no_context() {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(Cpu));
    global.allow_webnn(false);
    assert_refused(both(&global, &ml), ExceptionName::SecurityError, "3");
    global.allow_webnn(true);
    both(&global, &ml)[0].1.as_ref().unwrap();
}

#[test]
fn a_document_that_is_not_allowed_any_more_gets_no_builder() {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(Cpu));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    global.allow_webnn(false);
    let exception = MLGraphBuilder::new(&context).unwrap_err();
    assert_eq!((exception.name, exception.step), (ExceptionName::SecurityError, "1"));
    assert_eq!(exception.algorithm, "MLGraphBuilder.MLGraphBuilder(context)");
}

#[test]
fn a_context_that_no_platform_supports_is_refused() {
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(Nothing));
    assert_refused(both(&global, &ml), ExceptionName::NotSupportedError, "5.1");
}
